// A page where the admins of an account manage its members, rendered on the server with Express. It calls
// Tenantry with the access token of the admin, which is in the encrypted session cookie.
import { AccessError, ApiError, createTenantry } from '@tenantry/client'
import express from 'express'
import openid from 'express-openid-connect'
import { membersPage, messagePage } from './pages.js'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env
const home = `http://localhost:${PORT}`
const tenantry = createTenantry({ issuer: ISSUER, clientId: CLIENT_ID })
const app = express()

// A form of another site is not accepted, although the browser sends the session cookie with it.
app.use((request, response, next) => {
  if (['GET', 'HEAD'].includes(request.method) || request.headers.origin === home) return next()
  response.status(403).send(messagePage('This form was sent by another site.'))
})

// /login, /callback and /logout
app.use(
  openid.auth({
    issuerBaseURL: ISSUER,
    baseURL: home,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: SESSION_SECRET,
    authRequired: false,
    idpLogout: true,
    authorizationParams: { response_type: 'code', scope: 'openid email profile offline_access' },
  }),
)
app.use(express.urlencoded({ extended: false }))

/** The account of the signed-in user: calls with the access token, which is renewed if it has expired. */
async function organizationOf({ oidc }) {
  const current = oidc.accessToken
  const token = current.isExpired() ? (await current.refresh()).access_token : current.access_token
  return tenantry.organization(token)
}

async function showMembers(request, response, alert) {
  const organization = await organizationOf(request)
  const { search = '', page = '1' } = request.query
  const [account, roles, members, invitations] = await Promise.all([
    organization.account.get(),
    organization.roles.list(),
    organization.members.list({ search: search || undefined, page, pageSize: 20 }),
    organization.invitations.list({ status: 'pending', pageSize: 100 }),
  ])
  response.send(membersPage({ account, roles, members, invitations, search, alert }))
}

app.get('/', async (request, response) => {
  if (!request.oidc.isAuthenticated()) return response.send(messagePage('You are not signed in.'))
  await showMembers(request, response)
})

/** A route for a form: does the work, then shows the page again, with the reason if Tenantry has refused. */
const form = (path, work) =>
  app.post(path, openid.requiresAuth(), async (request, response) => {
    try {
      await work(await organizationOf(request), request.params.id, request.body ?? {})
    } catch (error) {
      if (!isRefusal(error)) throw error
      return showMembers(request, response.status(error.httpStatus), reasonOf(error))
    }
    response.redirect(303, '/')
  })
/** Whether Tenantry has refused the change. A user who is no longer an admin is then refused the page, too. */
const isRefusal = (error) => error instanceof ApiError && [400, 403, 404, 409, 429].includes(error.httpStatus)
const reasonOf = ({ problem }) => problem.errors?.[0]?.message ?? problem.detail ?? problem.title

form('/invitations', ({ invitations }, _, { email, role }) =>
  invitations.invite({ email, roles: role ? [role] : [] }),
)
form('/invitations/:id/resend', ({ invitations }, id) => invitations.resend(id))
form('/invitations/:id/revoke', ({ invitations }, id) => invitations.revoke(id))
form('/members/:id/approve', ({ members }, id) => members.approve(id))
form('/members/:id/block', ({ members }, id) => members.block(id))
form('/members/:id/unblock', ({ members }, id) => members.unblock(id))
form('/members/:id/remove', ({ members }, id) => members.remove(id))
form('/members/:id/roles', ({ members }, id, { roles = [] }) => members.setRoles(id, [roles].flat()))

app.use((error, _request, response, _next) => {
  if (error.code === 'insufficient_authority')
    return response.status(403).send(messagePage('Only admins of the account can manage its members.'))
  // The token has expired, or the session has ended: the user was blocked, or signed out elsewhere. With
  // `invalid_grant` the refresh token is no longer valid.
  const isEnded = error instanceof AccessError || error.httpStatus === 401 || error.error === 'invalid_grant'
  if (isEnded) return response.status(401).send(messagePage('Your session has ended.'))
  process.stderr.write(`${error.stack}\n`)
  response.status(503).send(messagePage('The members are unavailable. Try again later.'))
})

app.listen(PORT, () => process.stdout.write(`Ready at ${home}\n`))
