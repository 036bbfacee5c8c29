/**
 * The checkbox that chooses all rows, and how many are chosen. Without scripting each row is chosen alone.
 */
for (const all of document.querySelectorAll('[data-select]')) {
  const boxes = [...document.querySelectorAll(`input[name="${all.dataset.select}"]`)]
  const status = document.querySelector('[data-selected]')
  const show = () => {
    const count = boxes.filter(({ checked }) => checked).length
    all.checked = count === boxes.length
    all.indeterminate = count > 0 && count < boxes.length
    status.textContent = status.dataset.selected.replace('{count}', count)
  }

  all.hidden = false
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked
    show()
  })
  for (const box of boxes) box.addEventListener('change', show)
  // Values that the browser has restored.
  addEventListener('pageshow', show)
}
