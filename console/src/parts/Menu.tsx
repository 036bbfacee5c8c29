import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'
import './choice-row.css'
import './Menu.css'

/** `trigger`: a button. */
export const Menu = ({ trigger, children }: { trigger: ReactElement; children: ReactNode }) => (
  <Base.Root>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner sideOffset={4} align="end" className="positioner">
        <Base.Popup className="menu">{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

type ItemProps = { children: ReactNode; onClick: () => void; danger?: boolean; disabled?: boolean }

export const MenuItem = ({ children, onClick, danger = false, disabled = false }: ItemProps) => (
  <Base.Item className={danger ? 'danger' : undefined} disabled={disabled} onClick={onClick}>
    {children}
  </Base.Item>
)

/** The actions of a row or a page, behind three dots. `name`: what they are for. */
export const MoreMenu = ({ name, children }: { name: string; children: ReactNode }) => (
  <Menu
    trigger={
      <button type="button" className="icon-button" aria-label={`${texts.parts.actions}: ${name}`}>
        <Icon name="more" />
      </button>
    }
  >
    {children}
  </Menu>
)
