/** Shows new emails, local times, and buttons that copy. */
const INTERVAL = 2_000 // in ms
const { newest } = document.currentScript.dataset
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

for (const element of document.querySelectorAll('time')) {
  element.title = element.textContent
  element.textContent = time.format(new Date(element.dateTime))
}

for (const button of document.querySelectorAll('[data-copy]')) {
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = label
    }, INTERVAL)
  })
}

async function check() {
  const response = await fetch('/outbox/newest').catch(() => undefined) // the server restarts
  if (response?.status === 404) return location.reload() // with another key
  const found = response?.ok ? (await response.json()).newest : newest
  if (found !== newest) location.assign('/outbox')
}
setInterval(() => document.hidden || check(), INTERVAL)
document.addEventListener('visibilitychange', () => document.hidden || check())
