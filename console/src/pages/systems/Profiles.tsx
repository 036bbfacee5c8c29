import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { Icon } from '../../parts/Icon.tsx'
import { List, useListQuery } from '../../parts/List.tsx'
import { Empty } from '../../parts/Page.tsx'
import type { Column } from '../../parts/Table.tsx'
import { texts } from '../../texts/texts.ts'
import { AssignedMenu, RemoveAssigned } from './Assigned.tsx'
import { ProfileForm } from './ProfileForm.tsx'
import type { Profile, System } from './system.ts'

/** The profiles of an application. */
export function Profiles({ system }: { system: System }) {
  const { canChange } = usePlace()
  const [edited, setEdited] = useState<Profile | 'new' | null>(null)
  const [removed, setRemoved] = useState<Profile | null>(null)
  const query = useListQuery()
  const profiles = useRead('/admin/systems/{systemId}/profiles', { path: { systemId: system.id }, query })
  const t = texts.settings
  const add = canChange && (
    <button type="button" className="primary" onClick={() => setEdited('new')}>
      <Icon name="plus" />
      {t.newProfile}
    </button>
  )
  const isEmpty = profiles.data?.total === 0
  return (
    <>
      {!isEmpty && (
        <div className="section-head">
          <p className="muted">{t.profilesLead}</p>
          {add}
        </div>
      )}
      <List
        label={texts.systems.tabs.profiles}
        name="profiles"
        query={profiles}
        call={{ path: '/admin/systems/{systemId}/profiles', given: { path: { systemId: system.id } } }}
        columns={columnsOf()}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        {...(canChange && { onOpen: setEdited })}
        menu={(profile) => (
          <AssignedMenu
            item={profile}
            having={{ profileId: profile.id }}
            onEdit={setEdited}
            onRemove={setRemoved}
          />
        )}
        empty={
          <Empty title={t.noProfiles}>
            <p>{t.profilesLead}</p>
            {add}
          </Empty>
        }
      />
      {edited && (
        <ProfileForm
          systemId={system.id}
          profile={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
      {removed && <RemoveProfile profile={removed} onClose={() => setRemoved(null)} />}
    </>
  )
}

function columnsOf(): Column<Profile>[] {
  const t = texts.settings
  return [
    {
      key: 'name',
      title: t.profile,
      cell: ({ name, description }) => (
        <>
          <strong>{name}</strong>
          {description && <span className="below">{description}</span>}
        </>
      ),
    },
    {
      key: 'attributes',
      title: t.attributes,
      cell: ({ attributes }) => {
        const pairs = Object.entries(attributes)
        return pairs.length > 0 ? (
          <code>{pairs.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ')}</code>
        ) : (
          <span className="muted">{t.noAttributes}</span>
        )
      },
    },
  ]
}

function RemoveProfile({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const { systemId, id: profileId } = profile
  return (
    <RemoveAssigned
      item={profile}
      having={{ profileId }}
      onClose={onClose}
      remove={(api) =>
        api.delete('/admin/systems/{systemId}/profiles/{profileId}', { path: { systemId, profileId } })
      }
    />
  )
}
