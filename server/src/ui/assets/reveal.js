/** The button in a password field that shows the password. Without scripting it stays hidden. */
for (const button of document.querySelectorAll('button.reveal')) {
  const field = document.getElementById(button.getAttribute('aria-controls'))
  const show = (shown) => {
    field.type = shown ? 'text' : 'password'
    button.setAttribute('aria-pressed', shown)
  }
  button.hidden = false
  // Keeps the focus, the caret and the on-screen keyboard in the field.
  button.addEventListener('mousedown', (event) => event.preventDefault())
  button.addEventListener('click', () => show(field.type === 'password'))
  // Password managers and the back button expect a password field.
  field.form.addEventListener('submit', () => show(false))
  addEventListener('pagehide', () => show(false))
}
