/**
 * Passkeys. A form with `data-passkey` ("get" or "create") carries the options of navigator.credentials as
 * JSON in `data-options`; it is submitted with the credential, as JSON, in the field `passkey`. With
 * `data-offered` the browser also offers passkeys in the autofill of the email field (conditional mediation).
 * A form with `data-passkey="tell"` says in the field `passkeys` whether the device can create one.
 */
const toBytes = (base64url) =>
  Uint8Array.from(atob(base64url.replace(/-/g, '+').replace(/_/g, '/')), (character) =>
    character.charCodeAt(0),
  )
const toBase64url = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '')
const withBytes = (descriptors) => descriptors.map((each) => ({ ...each, id: toBytes(each.id) }))

/** The options of a form, with binary values as the browser expects them. */
function optionsOf(form) {
  const options = JSON.parse(form.dataset.options)
  return {
    ...options,
    challenge: toBytes(options.challenge),
    ...(options.user && { user: { ...options.user, id: toBytes(options.user.id) } }),
    ...(options.allowCredentials && { allowCredentials: withBytes(options.allowCredentials) }),
    ...(options.excludeCredentials && { excludeCredentials: withBytes(options.excludeCredentials) }),
  }
}

/** The browser allows one request at a time: a new one aborts the pending one. */
let pending

async function requestPasskey(form, mediation) {
  pending?.abort()
  pending = new AbortController()
  const request = { publicKey: optionsOf(form), signal: pending.signal, ...mediation }
  const credential = await navigator.credentials[form.dataset.passkey](request)
  form.querySelector('[name=passkey]').value = JSON.stringify(toJson(credential))
  form.submit()
}

function toJson({ id, type, response }) {
  const encoded = { clientDataJSON: toBase64url(response.clientDataJSON) }
  for (const name of ['authenticatorData', 'signature', 'userHandle', 'attestationObject'])
    if (response[name]) encoded[name] = toBase64url(response[name])
  if (response.getTransports) encoded.transports = response.getTransports()
  return { id, rawId: id, type, response: encoded }
}

const telling = document.querySelectorAll('form[data-passkey=tell]')
if (telling.length > 0)
  window.PublicKeyCredential?.isUserVerifyingPlatformAuthenticatorAvailable?.()
    .then((available) => {
      for (const form of available ? telling : []) {
        const field = document.createElement('input')
        Object.assign(field, { type: 'hidden', name: 'passkeys', value: 'yes' })
        form.append(field)
      }
    })
    .catch(() => {})

for (const form of document.querySelectorAll('form[data-options]')) {
  const fault = form.querySelector('[data-fault]') ?? document.getElementById('passkey-fault')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    fault.textContent = ''
    requestPasskey(form).catch(() => {
      fault.textContent = fault.dataset.fault
    })
  })
  if (form.dataset.offered !== undefined)
    window.PublicKeyCredential?.isConditionalMediationAvailable?.()
      .then((available) => available && requestPasskey(form, { mediation: 'conditional' }))
      .catch(() => {})
}
