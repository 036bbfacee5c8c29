import { fill, texts } from '../texts/texts.ts'
import { useAct } from './useAct.ts'

/** Lets a user who has to wait try again at once. */
export function useClearLimits(): (user: { id: string; email: string }) => Promise<boolean> {
  const act = useAct()
  return ({ id, email }) =>
    act(
      (api) => api.delete('/admin/limits', { query: { userId: id } }),
      fill(texts.limits.cleared, { email }),
    )
}
