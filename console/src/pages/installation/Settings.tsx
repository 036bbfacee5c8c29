import { useState } from 'react'
import { useRead } from '../../api/queries.ts'
import { Failed } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Table } from '../../parts/Table.tsx'
import { texts } from '../../texts/texts.ts'
import '../../parts/search.css'

/** The effective settings. They are environment variables, so they are only shown here. */
export function Settings() {
  const t = texts.installation
  const [search, setSearch] = useState('')
  const { data, error, refetch } = useRead('/admin/installation')
  if (!data) return error ? <Failed error={error} onRetry={() => void refetch()} /> : null
  const rows = data.settings.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()))
  return (
    <>
      <p className="muted">{t.settingsLead}</p>
      <search className="toolbar">
        <span className="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label={texts.parts.search}
            placeholder={texts.parts.search}
            data-shortcut="/"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </span>
      </search>
      <Table
        label={t.settings}
        rows={rows}
        idOf={({ name }) => name}
        nameOf={({ name }) => name}
        columns={[
          { key: 'name', title: t.setting, cell: ({ name }) => <code>{name}</code> },
          {
            key: 'value',
            title: t.value,
            cell: ({ value, secret }) =>
              secret ? <em className="muted">{value ?? t.unset}</em> : (value ?? t.unset),
          },
          {
            key: 'default',
            title: t.origin,
            cell: ({ isDefault }) => (isDefault ? t.byDefault : t.bySetting),
          },
        ]}
      />
    </>
  )
}
