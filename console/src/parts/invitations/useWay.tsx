import { type ReactNode, useState } from 'react'
import { useMe, usePlace } from '../../api/context.ts'
import { texts } from '../../texts/texts.ts'
import { Choice } from '../Choice.tsx'

export type Way = 'email' | 'link'

/**
 * How an invitation reaches its address. The admin of an organization receives no link. On a server that
 * sends no email, the link is the first choice.
 */
export function useWay(): { way: Way; choice: ReactNode } {
  const { kind } = usePlace()
  const { sendsEmail } = useMe().installation
  const t = texts.invitations
  const mayLink = kind !== 'account'
  const [way, setWay] = useState<Way>(sendsEmail || !mayLink ? 'email' : 'link')
  const { email, link } = t.ways
  const choice = (
    <>
      {!sendsEmail && <p className="notice">{mayLink ? t.noEmail : t.noEmailOfOrganization}</p>}
      {mayLink && (
        <Choice
          name="way"
          legend={t.way}
          options={sendsEmail ? { email, link } : { link, email }}
          hints={t.wayHints}
          value={way}
          onChange={setWay}
        />
      )}
    </>
  )
  return { way, choice }
}
