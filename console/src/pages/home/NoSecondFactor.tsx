import { useMe, usePlace } from '../../api/context.ts'
import { texts } from '../../texts/texts.ts'

/** Tells a user of the whole installation who has no second factor to add one. */
export function NoSecondFactor() {
  const { user } = useMe()
  if (usePlace().kind !== 'platform' || user.hasSecondFactor) return null
  return (
    <aside className="note">
      <p>
        {texts.home.noSecondFactor} <a href="/account/security">{texts.home.addSecondFactor}</a>
      </p>
    </aside>
  )
}
