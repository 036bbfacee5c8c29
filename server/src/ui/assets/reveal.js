/** Passwords that can be looked at: a button inside each field, hidden where no script runs. What is sent is a password again. */
for (const button of document.querySelectorAll('button.reveal')) {
  const field = document.getElementById(button.getAttribute('aria-controls'))
  const show = (shown) => {
    field.type = shown ? 'text' : 'password'
    button.setAttribute('aria-pressed', shown)
  }
  button.hidden = false
  // The field keeps the focus, its caret and the keyboard of a phone.
  button.addEventListener('mousedown', (event) => event.preventDefault())
  button.addEventListener('click', () => show(field.type === 'password'))
  field.form.addEventListener('submit', () => show(false))
  addEventListener('pagehide', () => show(false))
}
