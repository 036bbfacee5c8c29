// A single-page application: a public client without a secret. Its tokens are in the session storage of the tab.
/* global oidc, settings */
const manager = new oidc.UserManager({
  ...settings,
  redirect_uri: `${location.origin}/callback`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid email profile offline_access',
  automaticSilentRenew: false,
})
const main = document.querySelector('main')

/** The signed-in user with a valid access token; requests a new one if it has expired. */
async function currentUser() {
  if (location.pathname === '/callback') {
    await manager.signinCallback()
    history.replaceState({}, '', '/')
  }
  const user = await manager.getUser()
  return user?.expired ? manager.signinSilent() : user
}

function button(text, action) {
  const element = document.createElement('button')
  element.textContent = text
  element.onclick = action
  main.append(element)
}

function line(label, id, text) {
  const [paragraph, value] = [document.createElement('p'), document.createElement('b')]
  value.id = id
  value.textContent = text
  paragraph.append(`${label} `, value)
  main.append(paragraph)
}

async function show() {
  const user = await currentUser()
  if (!user) return button('Sign in', () => manager.signinRedirect())
  const { email, account_id, membership_id } = user.profile // key your own records by membership_id
  const answer = await fetch('/api/orders', { headers: { authorization: `Bearer ${user.access_token}` } })
  line('Signed in as', 'email', email)
  line('Account', 'account', account_id)
  line('Membership', 'membership', membership_id)
  line('API:', 'api', `${answer.status} ${await answer.text()}`)
  button('Sign out', () => manager.signoutRedirect())
}

show().catch((error) => {
  main.textContent = error.message
})
