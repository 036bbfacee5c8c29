/**
 * Menus are <details>, which need no script. This closes them with Escape, which returns the focus, with a
 * click outside and when the focus leaves them; and scrolls the current entry of the navigation into view,
 * which on a phone is a row.
 */
const menus = [...document.querySelectorAll('details.menu')]
const closeBut = (target) => {
  for (const menu of menus) if (!menu.contains(target)) menu.open = false
}

document.addEventListener('click', ({ target }) => closeBut(target))
document.addEventListener('focusin', ({ target }) => closeBut(target))
document.addEventListener('keydown', ({ key, target }) => {
  const menu = key === 'Escape' && target instanceof Element && target.closest('details.menu[open]')
  if (!menu) return
  menu.open = false
  menu.querySelector('summary').focus()
})

const current = document.querySelector('.nav.here [aria-current]')
if (current) {
  const row = current.closest('ul')
  row.scrollLeft = current.offsetLeft - (row.clientWidth - current.offsetWidth) / 2
}
