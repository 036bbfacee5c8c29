// The HTML. `html` escapes every value that is not HTML itself.
class Html {
  constructor(text) {
    this.text = text
  }
}

const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
function textOf(value) {
  if (Array.isArray(value)) return value.map(textOf).join('')
  return value instanceof Html ? value.text : escapeHtml(String(value))
}
const html = (parts, ...values) =>
  new Html(parts.reduce((before, part, index) => `${before}${textOf(values[index - 1])}${part}`))

const page = (content) =>
  `<!doctype html>${html`<html lang="en"><meta charset="utf-8"><title>Members</title><main>${content}</main></html>`.text}`

/** A message, with a way out: to sign in, or to sign in as someone else. */
export const messagePage = (text) =>
  page(html`<p role="alert">${text}</p><p><a href="/login">Sign in</a> <a href="/logout">Sign out</a></p>`)

export function membersPage({ account, roles, members, invitations, search, alert = '' }) {
  const nameOf = (id) => roles.find((role) => role.id === id)?.name ?? ''
  const { data, page: number, pageSize, total } = members
  const next = new URLSearchParams({ search, page: number + 1 })
  return page(html`<h1>Members of ${account.name}</h1>
<p role="alert">${alert}</p>
<form method="post" action="/invitations">
  <label>Email address <input type="email" name="email" required></label>
  <label>Role <select name="role">${assignable(roles).map(optionOf)}</select></label>
  <button>Invite</button>
</form>
<h2>Invitations</h2>
<table>${invitations.data.map((invitation) => invitationRow(invitation, nameOf))}</table>
<h2>Members</h2>
<form action="/"><label>Search <input type="search" name="search" value="${search}"></label> <button>Search</button></form>
<table>${data.map((member) => memberRow(member, roles))}</table>
<p>${total} in total ${number * pageSize < total ? html`<a href="/?${next}">Next page</a>` : ''}</p>
<p><a href="/logout">Sign out</a></p>`)
}

/** The roles that the admin may assign; admin roles last, so that none is preselected. */
const assignable = (roles) =>
  roles.filter((role) => role.assignableByAccountAdmins).sort((one, other) => one.isAdmin - other.isAdmin)
const optionOf = ({ id, name }) => html`<option value="${id}">${name}</option>`

const button = (path, label) => html`<form method="post" action="${path}"><button>${label}</button></form>`

const invitationRow = ({ id, email, status, roles }, nameOf) => html`<tr><th>${email}</th><td>${status}</td>
  <td>${roles.map(nameOf).join(', ')}</td>
  <td>${button(`/invitations/${id}/resend`, 'Resend')}${button(`/invitations/${id}/revoke`, 'Revoke')}</td></tr>`

const CHANGES = {
  pending: [['approve', 'Approve']],
  active: [['block', 'Block']],
  blocked: [['unblock', 'Unblock']],
}

function memberRow({ id, user, status, roles: held }, roles) {
  const path = `/members/${id}`
  const changes = [...CHANGES[status], ['remove', 'Remove']]
  // Tenantry refuses changes of a member who has a role that only the system assigns.
  const isReserved = roles.some((role) => held.includes(role.id) && !role.assignableByAccountAdmins)
  return html`<tr><th>${user.email}</th><td>${status}</td>
  <td>${isReserved ? namesOf(held, roles) : rolesForm(path, held, roles)}</td>
  <td>${isReserved ? '' : changes.map(([action, label]) => button(`${path}/${action}`, label))}</td></tr>`
}

const namesOf = (held, roles) => roles.filter(({ id }) => held.includes(id)).map(({ name }) => html`${name} `)

const rolesForm = (path, held, roles) => html`<form method="post" action="${path}/roles">
  ${assignable(roles).map(
    ({ id, name }) => html`<label><input type="checkbox" name="roles" value="${id}"
      ${held.includes(id) ? html`checked` : ''}>${name}</label>`,
  )}<button>Save roles</button></form>`
