/**
 * Passkeys: each form with `data-passkey` has the options of navigator.credentials.get or .create as JSON, and is sent with
 * what the browser made of them. With `data-offered` the browser may also offer passkeys in the field of the address.
 */
const forms = document.querySelectorAll('form[data-passkey]')
const decode = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
const encode = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '')
const known = (list) => (list ?? []).map((each) => ({ ...each, id: decode(each.id) }))
const optionsOf = (form) => {
  const options = JSON.parse(form.dataset.options)
  return {
    ...options,
    challenge: decode(options.challenge),
    ...(options.user && { user: { ...options.user, id: decode(options.user.id) } }),
    ...(options.allowCredentials && { allowCredentials: known(options.allowCredentials) }),
    ...(options.excludeCredentials && { excludeCredentials: known(options.excludeCredentials) }),
  }
}

let waiting
async function ask(form, more) {
  waiting?.abort()
  waiting = new AbortController()
  const request = { publicKey: optionsOf(form), signal: waiting.signal, ...more }
  const made = await navigator.credentials[form.dataset.passkey](request)
  const response = { clientDataJSON: encode(made.response.clientDataJSON) }
  for (const name of ['authenticatorData', 'signature', 'userHandle', 'attestationObject'])
    if (made.response[name]) response[name] = encode(made.response[name])
  if (made.response.getTransports) response.transports = made.response.getTransports()
  form.querySelector('[name=passkey]').value = JSON.stringify({ id: made.id, rawId: made.id, type: made.type, response })
  form.submit()
}

for (const form of forms) {
  const fault = form.querySelector('[data-fault]')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    fault.textContent = ''
    ask(form).catch(() => {
      fault.textContent = fault.dataset.fault
    })
  })
  if (form.dataset.offered !== undefined)
    window.PublicKeyCredential?.isConditionalMediationAvailable?.()
      .then((can) => can && ask(form, { mediation: 'conditional' }))
      .catch(() => {})
}
