import { Icon } from '../parts/Icon.tsx'
import { texts } from '../texts/texts.ts'
import './Find.css'

/** The button of the search over everything. */
export const Find = ({ onOpen }: { onOpen: () => void }) => (
  <button type="button" className="find" aria-haspopup="dialog" onClick={onOpen}>
    <Icon name="search" />
    <span>{texts.palette.open}</span>
    <kbd>{/Mac|iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
  </button>
)
