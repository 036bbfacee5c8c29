import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { usePlace } from '../api/context.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { linkTo } from '../parts/links.ts'
import { areShortcutsOn, turnShortcuts } from '../parts/shortcuts.ts'
import { texts } from '../texts/texts.ts'
import { pagesOf } from './navigation.ts'
import '../parts/Form.css'
import './Shortcuts.css'

const CommandPalette = lazy(() => import('../palette/CommandPalette.tsx'))

/** 1.5 s, in ms: the time for the second key of `g h`. */
const SEQUENCE = 1_500

const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && target.type === 'checkbox')

/** What is open above the page: at most one of them. */
export type Overlay = 'palette' | 'keys'

/** The search and the list of the keys, while one is open. */
export function Overlays({ open, onClose }: { open: string | undefined; onClose: () => void }) {
  if (open === 'palette')
    return (
      <Suspense>
        <CommandPalette onClose={onClose} />
      </Suspense>
    )
  return open === 'keys' ? <Keys onClose={onClose} /> : null
}

/** The keys of the whole console. */
export function useKeys(setOpen: (open: Overlay) => void) {
  const { key: context, kind } = usePlace()
  const navigate = useNavigate()
  useEffect(() => {
    let startedAt = 0
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        if (!document.querySelector('[role=dialog]')) setOpen('palette')
        return
      }
      if (!areShortcutsOn() || isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return
      if (document.querySelector('[role=dialog],[role=menu],:popover-open')) return
      if (event.key === '?') return setOpen('keys')
      if (event.key === '/') {
        const field = document.querySelector<HTMLElement>('[data-shortcut="/"]')
        if (!field) return setOpen('palette')
        event.preventDefault()
        return field.focus()
      }
      if (event.key === 'c') return document.querySelector<HTMLElement>('.page-actions .primary')?.click()
      if (event.key === '[' || event.key === ']') return turnPage(event.key)
      if (event.key === 'j' || event.key === 'k') return moveRow(event.key === 'j' ? 1 : -1)
      const isSecond = Date.now() - startedAt < SEQUENCE
      startedAt = event.key === 'g' ? Date.now() : 0
      if (!isSecond) return
      const entry = pagesOf(kind).find((each) => each.key === event.key)
      if (!entry) return
      event.preventDefault() // a page may have the key as well
      void navigate(linkTo(context, entry.path))
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [context, kind, navigate, setOpen])
}

function turnPage(key: string): void {
  const buttons = document.querySelectorAll<HTMLElement>('.pages button')
  buttons[key === '[' ? 0 : 1]?.click()
}

/** Moves the focus to the next or the previous row of the list. */
function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('tbody .opener')]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus()
}

/** The list of the keys. */
function Keys({ onClose }: { onClose: () => void }) {
  const { kind } = usePlace()
  const [on, setOn] = useState(areShortcutsOn())
  const pages = pagesOf(kind).flatMap(({ key, text }) =>
    key ? [[`g ${key}`, String(texts.shell[text])] as const] : [],
  )
  const turn = (next: boolean) => {
    turnShortcuts(next)
    setOn(next)
  }
  return (
    <Dialog title={texts.palette.keys} onClose={onClose}>
      <label className="check">
        <input type="checkbox" checked={on} onChange={(event) => turn(event.target.checked)} />
        {texts.palette.keysOn}
      </label>
      <dl className="keys">
        {[...Object.entries(texts.palette.keyList), ...pages].map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
