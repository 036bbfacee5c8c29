/**
 * Shows times, and lists in groups of a day, in the time zone of the browser. The server writes them in UTC.
 */
const lang = document.documentElement.lang
const formats = {
  date: new Intl.DateTimeFormat(lang, { dateStyle: 'medium' }),
  time: new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }),
  clock: new Intl.DateTimeFormat(lang, { timeStyle: 'short' }),
}
const days = new Intl.DateTimeFormat(lang, { dateStyle: 'full' })
const full = new Intl.DateTimeFormat(lang, { dateStyle: 'full', timeStyle: 'long' })

for (const element of document.querySelectorAll('time[data-time]')) {
  const at = new Date(element.dateTime)
  element.textContent = formats[element.dataset.time].format(at)
  element.title = full.format(at)
}

/** The first heading and list are copied for each day, without their content. */
for (const list of document.querySelectorAll('[data-days]')) {
  const items = [...list.querySelectorAll('li')]
  const [heading, feed] = ['h2', 'ul'].map((name) => list.querySelector(name).cloneNode(false))
  list.replaceChildren()
  for (const item of items) {
    const day = days.format(new Date(item.querySelector('time').dateTime))
    if (list.lastElementChild?.previousElementSibling?.textContent !== day) {
      const title = heading.cloneNode(false)
      title.textContent = day
      list.append(title, feed.cloneNode(false))
    }
    list.lastElementChild.append(item)
  }
}
