import { texts } from '../../texts/texts.ts'
import { Badge } from '../Badge.tsx'
import type { Member } from './useMemberActions.tsx'

const TONES = { active: 'good', pending: 'wait', blocked: 'bad' } as const

export const MemberState = ({ status }: Pick<Member, 'status'>) => (
  <Badge tone={TONES[status]}>{texts.members.states[status]}</Badge>
)
