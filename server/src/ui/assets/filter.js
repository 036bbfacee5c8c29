/**
 * A field that filters the choices of a list. It is hidden without scripting. Enter moves to the first choice
 * that is shown instead of choosing it.
 */
const plain = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

for (const filter of document.querySelectorAll('[data-filter]')) {
  const field = filter.querySelector('input')
  const status = filter.querySelector('[role=status]')
  const choices = [...document.getElementById(filter.dataset.filter).children].map((item) => ({
    item,
    text: plain(item.querySelector('.names').textContent),
    button: item.querySelector('button'),
  }))

  const show = () => {
    const words = plain(field.value).split(/\s+/).filter(Boolean)
    for (const { item, text } of choices) item.hidden = !words.every((word) => text.includes(word))
    const shown = choices.filter(({ item }) => !item.hidden).length
    const { found, none } = filter.dataset
    status.textContent =
      words.length === 0
        ? ''
        : shown === 0
          ? none
          : found.replace('{shown}', shown).replace('{all}', choices.length)
  }

  filter.hidden = false
  field.addEventListener('input', show)
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    choices.find(({ item }) => !item.hidden)?.button.focus()
  })
  // A value that the browser has restored.
  addEventListener('pageshow', show)
}
