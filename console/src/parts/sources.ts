/** What can be picked by a search, and how it is searched for in the context of the page. */
import { type Answer, type Given, kindOf, readQuery, useContextKey } from '../api/queries.ts'
import { namedOf } from './search.ts'

/** `detail` distinguishes things of one name: the email address of a user. */
export type Picked = { id: string; name: string; detail?: string | null }

export type Source = { key: readonly unknown[]; read: (search: string) => Promise<Picked[]> }

/** A picker shows at most so many; with more, the text must be longer. */
const SHOWN = 20

export function useSources() {
  const context = useContextKey()
  const pageOf = (search: string) => ({ pageSize: SHOWN, ...(search && { search }) })
  const get = <P extends Parameters<typeof readQuery>[1]>(path: P, given: Given<P>): Promise<Answer<P>> =>
    readQuery(context, path, given).queryFn({ signal: AbortSignal.timeout(10_000) })
  const members = async (search: string): Promise<Picked[]> => {
    const { data } = await get('/admin/memberships', { query: namedOf(pageOf(search)) })
    return data.map(({ user }) => ({ id: user.id, name: user.name ?? user.email, detail: user.email }))
  }
  const users = async (search: string): Promise<Picked[]> => {
    // A complete address also finds a user of other applications, whom a system can add.
    const query = search.includes('@') ? pageOf(search) : namedOf(pageOf(search))
    const { data } = await get('/admin/users', { query })
    return data.map((user) => ({
      id: user.id,
      name: ('name' in user && user.name) || user.email,
      detail: user.email,
    }))
  }
  const matching = (all: readonly Picked[], search: string) =>
    all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
  return {
    /** The users; in the context of an organization, its members. */
    users: (): Source => ({
      key: [context, 'pick-users'],
      read: kindOf(context) === 'account' ? members : users,
    }),
    systems: (): Source => ({
      key: [context, 'pick-systems'],
      read: async (search) => {
        const { data } = await get('/admin/systems', { query: pageOf(search) })
        return data.map(({ id, name, clientId }) => ({ id, name, detail: clientId }))
      },
    }),
    /** The accounts of one system, if it is given. */
    accounts: (systemId?: string): Source => ({
      key: [context, 'pick-accounts', systemId],
      read: async (search) => {
        const query = { ...pageOf(search), ...(systemId && { systemId }) }
        const { data } = await get('/admin/accounts', { query })
        return data.map(({ id, name, externalId }) => ({
          id,
          name,
          ...(externalId && { detail: externalId }),
        }))
      },
    }),
    roles: (systemId: string): Source => ({
      key: [context, 'pick-roles', systemId],
      read: async (search) =>
        matching(await get('/admin/systems/{systemId}/roles', { path: { systemId } }), search),
    }),
    profiles: (systemId: string): Source => ({
      key: [context, 'pick-profiles', systemId],
      read: async (search) => {
        const given = { path: { systemId }, query: { pageSize: 100 } }
        return matching((await get('/admin/systems/{systemId}/profiles', given)).data, search)
      },
    }),
  }
}
