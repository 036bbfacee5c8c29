/**
 * A button that is allowed after a wait: `data-wait` has the seconds, `data-in` the text with the time.
 * Without scripting the button can be pressed, and the server states how long it takes.
 */
for (const place of document.querySelectorAll('[data-wait]')) {
  const button = place.querySelector('button')
  const text = place.querySelector('[data-in]')
  const end = Date.now() + Number(place.dataset.wait) * 1_000
  const format = (unit) =>
    new Intl.NumberFormat(document.documentElement.lang, { style: 'unit', unit, unitDisplay: 'long' })
  const [seconds, minutes] = [format('second'), format('minute')]

  const show = () => {
    const left = Math.ceil((end - Date.now()) / 1_000)
    button.disabled = left > 0
    const time = left < 90 ? seconds.format(left) : minutes.format(Math.ceil(left / 60))
    text.textContent = left > 0 ? text.dataset.in.replace('{wait}', time) : ''
    if (left <= 0) clearInterval(timer)
  }
  const timer = setInterval(show, 1_000)
  show()
}
