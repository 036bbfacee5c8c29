// The API of the page. It calls Tenantry with the access token of the signed-in user, so that Tenantry decides.
import { AccessError, ApiError, createTenantry } from '@tenantry/client'

export async function membersApi(app, { issuer, clientId, home, accessToken, endSession }) {
  const tenantry = createTenantry({ issuer, clientId })

  app.decorateRequest('organization', null)
  app.addHook('onRequest', async (request, reply) => {
    // A request of another site is not accepted, although the browser sends the session cookie with it.
    if (!['GET', 'HEAD'].includes(request.method) && request.headers.origin !== home)
      return reply.code(403).send({ message: 'This request was sent by another site.' })
    const token = await accessToken(request.session)
    if (!token) return reply.code(401).send({ message: 'You are not signed in.' })
    request.organization = tenantry.organization(token)
  })

  app.get('/members', async ({ organization, query }) => {
    const { search, page } = query
    const [account, roles, members, invitations] = await Promise.all([
      organization.account.get(),
      organization.roles.list(),
      organization.members.list({ search: search || undefined, page, pageSize: 20 }),
      organization.invitations.list({ status: 'pending', pageSize: 100 }),
    ])
    return { account, roles, members, invitations }
  })

  /** A route that does the work and has no content. */
  const on = (method, url, work) =>
    app.route({
      method,
      url,
      handler: async ({ organization, params, body }, reply) => {
        await work(organization, params.id, body ?? {})
        return reply.code(204).send()
      },
    })
  on('POST', '/invitations', ({ invitations }, _, { email, roles }) => invitations.invite({ email, roles }))
  on('POST', '/invitations/:id/resend', ({ invitations }, id) => invitations.resend(id))
  on('POST', '/invitations/:id/revoke', ({ invitations }, id) => invitations.revoke(id))
  on('POST', '/members/:id/approve', ({ members }, id) => members.approve(id))
  on('POST', '/members/:id/block', ({ members }, id) => members.block(id))
  on('POST', '/members/:id/unblock', ({ members }, id) => members.unblock(id))
  on('POST', '/members/:id/remove', ({ members }, id) => members.remove(id))
  on('POST', '/members/:id/roles', ({ members }, id, { roles }) => members.setRoles(id, roles))

  app.setErrorHandler(async (error, request, reply) => {
    if (error.code === 'insufficient_authority' && request.method === 'GET')
      return reply.code(403).send({ message: 'Only admins of the account can manage its members.' })
    // The token has expired, or the session has ended: the user was blocked, or signed out elsewhere. With
    // `invalid_grant` the refresh token is no longer valid.
    const isEnded =
      error instanceof AccessError || error.httpStatus === 401 || error.error === 'invalid_grant'
    if (isEnded) {
      await endSession(request)
      return reply.code(401).send({ message: 'Your session has ended.' })
    }
    if (error instanceof ApiError && [400, 403, 404, 409, 429].includes(error.httpStatus))
      return reply.code(error.httpStatus).send({ message: reasonOf(error) })
    if (error.statusCode < 500) return reply.code(error.statusCode).send({ message: error.message })
    process.stderr.write(`${error.stack}\n`)
    return reply.code(503).send({ message: 'The members are unavailable. Try again later.' })
  })
}

const reasonOf = ({ problem }) => problem.errors?.[0]?.message ?? problem.detail ?? problem.title
