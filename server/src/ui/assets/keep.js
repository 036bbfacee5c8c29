/**
 * Copies, downloads or prints the recovery codes of the page. Without scripting the buttons are hidden; a
 * click selects all of the codes.
 */
for (const place of document.querySelectorAll('[data-keep]')) {
  const codes = [...document.getElementById(place.dataset.keep).querySelectorAll('code')]
  const text = () => `${codes.map(({ textContent }) => textContent).join('\n')}\n`
  const status = place.querySelector('[role=status]')

  const acts = {
    async copy() {
      await navigator.clipboard.writeText(text())
      status.textContent = status.dataset.done
    },
    download() {
      const link = document.createElement('a')
      const url = URL.createObjectURL(new Blob([`${location.hostname}\n\n${text()}`], { type: 'text/plain' }))
      link.href = url
      link.download = `${location.hostname}-recovery-codes.txt`
      link.click()
      URL.revokeObjectURL(url)
    },
    print: () => window.print(),
  }
  for (const button of place.querySelectorAll('button[data-act]')) {
    // The clipboard is for secure contexts only.
    button.hidden = button.dataset.act === 'copy' && !navigator.clipboard
    button.addEventListener('click', () => acts[button.dataset.act]())
  }
}
