/**
 * A field that filters the choices of a list. It is hidden without scripting. A choice that is not shown is
 * never the selected one.
 */
const plain = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

for (const filter of document.querySelectorAll('[data-filter]')) {
  const field = filter.querySelector('input')
  const status = filter.querySelector('[role=status]')
  const choices = [...document.getElementById(filter.dataset.filter).querySelectorAll('label')].map(
    (label) => ({
      label,
      text: plain(label.querySelector('.names').textContent),
      radio: label.querySelector('input'),
    }),
  )
  const button = field.form.querySelector('[type=submit]')

  const show = () => {
    const words = plain(field.value).split(/\s+/).filter(Boolean)
    for (const { label, text, radio } of choices) {
      label.hidden = !words.every((word) => text.includes(word))
      radio.disabled = label.hidden
    }
    const shown = choices.filter(({ label }) => !label.hidden)
    button.disabled = shown.length === 0
    if (shown.length > 0 && !shown.some(({ radio }) => radio.checked)) shown[0].radio.checked = true
    const { found, none } = filter.dataset
    status.textContent =
      words.length === 0
        ? ''
        : shown.length === 0
          ? none
          : found.replace('{shown}', shown.length).replace('{all}', choices.length)
  }

  filter.hidden = false
  field.addEventListener('input', show)
  // Enter moves to the selected account instead of continuing with it.
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    choices.find(({ label, radio }) => radio.checked && !label.hidden)?.radio.focus()
  })
  // A value that the browser has restored.
  addEventListener('pageshow', show)
}
