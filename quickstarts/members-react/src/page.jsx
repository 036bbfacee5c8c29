// The page. It calls the application's own server; the browser sends the session cookie.
import { useCallback, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

/** Calls the server. Throws an error with its message and status. */
async function call(method, path, body) {
  const response = await fetch(`/api${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const answer = response.status === 204 ? undefined : await response.json()
  if (!response.ok) throw Object.assign(new Error(answer.message), { status: response.status })
  return answer
}

function App() {
  const [filter, setFilter] = useState({ search: '', page: 1 })
  const [shown, setShown] = useState()
  const [alert, setAlert] = useState('')

  const load = useCallback(
    () =>
      call('GET', `/members?${new URLSearchParams(filter)}`).then(setShown, (error) => {
        setShown(undefined)
        setAlert(error.message)
      }),
    [filter],
  )
  useEffect(() => void load(), [load])

  /** Makes a change and shows the result, or why it was refused. */
  const act = async (path, body) => {
    setAlert('')
    await call('POST', path, body).catch((error) => setAlert(error.message))
    await load()
  }

  if (!shown) return <Message text={alert} />
  const { account, roles, members, invitations } = shown
  return (
    <>
      <h1>Members of {account.name}</h1>
      <p role="alert">{alert}</p>
      <InviteForm roles={assignable(roles)} onInvite={(invitation) => act('/invitations', invitation)} />
      <h2>Invitations</h2>
      <Invitations list={invitations.data} roles={roles} act={act} />
      <h2>Members</h2>
      <SearchForm onSearch={(search) => setFilter({ search, page: 1 })} />
      <table>
        <tbody>
          {members.data.map((member) => (
            // With another key the checkboxes are those of the changed member.
            <MemberRow key={`${member.id} ${member.updatedAt}`} member={member} roles={roles} act={act} />
          ))}
        </tbody>
      </table>
      <p>
        {members.total} in total{' '}
        {members.page * members.pageSize < members.total && (
          <button type="button" onClick={() => setFilter({ ...filter, page: filter.page + 1 })}>
            Next page
          </button>
        )}
      </p>
      <a href="/logout">Sign out</a>
    </>
  )
}

const Message = ({ text }) =>
  text && (
    <>
      <p role="alert">{text}</p>
      <a href="/login">Sign in</a> <a href="/logout">Sign out</a>
    </>
  )

/** Passes the fields of a submitted form. */
const onSubmit = (handle) => (event) => {
  event.preventDefault()
  handle(new FormData(event.currentTarget))
}

const InviteForm = ({ roles, onInvite }) => (
  <form
    onSubmit={onSubmit((fields) => onInvite({ email: fields.get('email'), roles: [fields.get('role')] }))}
  >
    <label>
      Email address <input type="email" name="email" required />
    </label>
    <label>
      Role{' '}
      <select name="role">
        {roles.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
    <button type="submit">Invite</button>
  </form>
)

const SearchForm = ({ onSearch }) => (
  <form onSubmit={onSubmit((fields) => onSearch(fields.get('search')))}>
    <label>
      Search <input type="search" name="search" />
    </label>
    <button type="submit">Search</button>
  </form>
)

const Invitations = ({ list, roles, act }) => (
  <table>
    <tbody>
      {list.map(({ id, email, status, roles: given }) => (
        <tr key={id}>
          <th>{email}</th>
          <td>{status}</td>
          <td>{namesOf(given, roles)}</td>
          <td>
            <Action label="Resend" onClick={() => act(`/invitations/${id}/resend`)} />
            <Action label="Revoke" onClick={() => act(`/invitations/${id}/revoke`)} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** Those that the admin may assign; admin roles last, so that none is preselected. */
const assignable = (roles) =>
  roles.filter((role) => role.assignableByAccountAdmins).sort((one, other) => one.isAdmin - other.isAdmin)

const namesOf = (ids, roles) =>
  roles
    .filter(({ id }) => ids.includes(id))
    .map(({ name }) => name)
    .join(', ')

const Action = ({ label, onClick }) => (
  <button type="button" onClick={onClick}>
    {label}
  </button>
)

const CHANGES = {
  pending: [['approve', 'Approve']],
  active: [['block', 'Block']],
  blocked: [['unblock', 'Unblock']],
}

function MemberRow({ member: { id, user, status, roles: held }, roles, act }) {
  // Tenantry refuses changes of a member who has a role that only the system assigns.
  const isReserved = roles.some((role) => held.includes(role.id) && !role.assignableByAccountAdmins)
  const changes = isReserved ? [] : [...CHANGES[status], ['remove', 'Remove']]
  const save = (fields) => act(`/members/${id}/roles`, { roles: fields.getAll('roles') })
  return (
    <tr>
      <th>{user.email}</th>
      <td>{status}</td>
      <td>{isReserved ? namesOf(held, roles) : <RolesForm held={held} roles={roles} onSave={save} />}</td>
      <td>
        {changes.map(([action, label]) => (
          <Action key={action} label={label} onClick={() => act(`/members/${id}/${action}`)} />
        ))}
      </td>
    </tr>
  )
}

const RolesForm = ({ held, roles, onSave }) => (
  <form onSubmit={onSubmit(onSave)}>
    {assignable(roles).map(({ id, name }) => (
      <label key={id}>
        <input type="checkbox" name="roles" value={id} defaultChecked={held.includes(id)} />
        {name}
      </label>
    ))}
    <button type="submit">Save roles</button>
  </form>
)

createRoot(document.querySelector('main')).render(<App />)
