import { Autocomplete } from '@base-ui/react/autocomplete'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useState } from 'react'
import { useMe, usePlace } from '../api/context.ts'
import { type Item, useRead } from '../api/queries.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { Icon, type IconName } from '../parts/Icon.tsx'
import { pagesOf } from '../shell/navigation.ts'
import { texts } from '../texts/texts.ts'
import { pageOfResource } from './resource-pages.ts'
import { rememberVisit, visitsOf } from './visits.ts'
import './CommandPalette.css'
import '../parts/search.css'

type Command = { id: string; icon: IconName; name: string; detail: string; href: string }

const ICONS: Record<string, IconName> = {
  user: 'user',
  system: 'apps',
  account: 'building',
  membership: 'users',
  webhook: 'hook',
  session: 'clock',
  request: 'list',
}

/** 150 ms: the search starts after the last key. */
const PAUSE = 150

/** Opens pages and finds everything by name, address or id. Loaded when it is first opened. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const { key, kind, own } = usePlace()
  const visitor = { userId: useMe().user.id, context: key }
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const asked = usePaused(useDeferredValue(text.trim()))
  const found = useRead('/admin/search', { query: { q: asked } }, { enabled: asked.length > 1 })
  const pages = pagesOf(kind, own).map(({ path, text: name, icon }): Command => {
    const href = `/${key}/${path}`
    return { id: href, icon, name: String(texts.shell[name]), detail: texts.palette.page, href }
  })
  const commands =
    text.trim() === ''
      ? [...visitsOf(visitor), ...pages]
      : [
          ...pages.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase())),
          ...(asked.length > 1 ? (found.data?.data ?? []) : []).flatMap((item) => commandOf(key, item)),
        ]
  const open = (command: Command) => {
    onClose()
    if (command.detail !== texts.palette.page) rememberVisit(visitor, command)
    void navigate({ href: command.href })
  }
  return (
    <Dialog title={texts.palette.title} onClose={onClose}>
      <Autocomplete.Root
        open
        inline
        items={commands}
        filter={null}
        autoHighlight="always"
        keepHighlight
        value={text}
        onValueChange={setText}
        itemToStringValue={({ name }: Command) => name}
      >
        <span className="search palette-search">
          <Icon name="search" />
          <Autocomplete.Input
            aria-label={texts.palette.hint}
            placeholder={texts.palette.hint}
            data-autofocus
            autoFocus
          />
        </span>
        <Autocomplete.Empty className="muted">
          {asked.length > 1 && !found.isFetching && texts.parts.pickNone}
        </Autocomplete.Empty>
        <Autocomplete.List className="palette">
          {(command: Command) => (
            <Autocomplete.Item key={command.id} value={command} onClick={() => open(command)}>
              <Icon name={command.icon} />
              <strong>{command.name}</strong>
              <span className="muted">{command.detail}</span>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  )
}

function commandOf(context: string, item: Item<'/admin/search'>): Command[] {
  const href = pageOfResource(context, item)
  if (href === undefined) return []
  const kind = texts.palette.types[item.type as keyof typeof texts.palette.types] ?? item.type
  const detail = [kind, item.detail].filter(Boolean).join(' · ')
  return [{ id: `${item.type} ${item.id}`, icon: ICONS[item.type] ?? 'list', name: item.name, detail, href }]
}

function usePaused(value: string): string {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE)
    return () => clearTimeout(timer)
  }, [value])
  return paused
}
