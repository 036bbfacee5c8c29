/** Shows times in the time zone of the browser. The server writes them in UTC. */
const lang = document.documentElement.lang
const formats = {
  date: new Intl.DateTimeFormat(lang, { dateStyle: 'medium' }),
  time: new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }),
}
const full = new Intl.DateTimeFormat(lang, { dateStyle: 'full', timeStyle: 'long' })

for (const element of document.querySelectorAll('time[data-time]')) {
  const at = new Date(element.dateTime)
  element.textContent = formats[element.dataset.time].format(at)
  element.title = full.format(at)
}
