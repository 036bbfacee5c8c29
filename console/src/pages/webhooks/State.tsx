import { Badge } from '../../parts/Badge.tsx'
import { relative } from '../../parts/Time.tsx'
import { fill, formatNumber, texts } from '../../texts/texts.ts'
import { TONES, type WebhookState } from './webhook.ts'

/** Whether a webhook works, and since when it does not. */
export function State({ webhook }: { webhook: WebhookState }) {
  const t = texts.webhooks
  const { state, failingSince, pausedUntil, disabledReason } = webhook
  const details =
    state === 'failing' && failingSince
      ? fill(t.failingSince, { time: relative(failingSince) })
      : state === 'paused' && pausedUntil
        ? fill(t.pausedUntil, { time: relative(pausedUntil) })
        : state === 'disabled'
          ? disabledReason
            ? t.reasons[disabledReason]
            : t.byHand
          : undefined
  return (
    <>
      <Badge tone={TONES[state]}>{t.states[state]}</Badge>
      {details && <span className="below">{details}</span>}
    </>
  )
}

/** A number that is counted up to a limit. */
export const counted = (number: number, max: number): string =>
  number >= max ? `${formatNumber(max)}+` : formatNumber(number)
