import { useBlocker } from '@tanstack/react-router'
import { count as countOf, texts } from '../../texts/texts.ts'
import { Confirm } from '../Confirm.tsx'

const tabOf = (search: object): unknown => ('tab' in search ? search.tab : undefined)

/** Asks before a page with changes that are not saved is left, or another tab of it is opened. */
export function LeaveWarning({ count }: { count: number }) {
  const t = texts.settings
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname || tabOf(current.search) !== tabOf(next.search),
    enableBeforeUnload: () => count > 0,
    disabled: count === 0,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Confirm
      title={t.leaveTitle}
      submit={t.leave}
      cancel={t.stay}
      onConfirm={proceed}
      onClose={reset}
      state={{ error: null, isPending: false }}
    >
      <p>{countOf(t.unsaved, count)}</p>
    </Confirm>
  )
}
