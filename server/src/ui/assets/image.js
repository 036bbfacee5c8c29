/**
 * A field for an image, which the form sends as a small PNG: the browser converts what it can read. Without
 * scripting it stays hidden.
 */
const SIDE = 256

const read = (file) =>
  new Promise((done, failed) => {
    const reader = new FileReader()
    reader.onload = () => done(reader.result)
    reader.onerror = failed
    reader.readAsDataURL(file)
  })

/** The address of the image as a PNG of at most `bytes`; undefined if it cannot be so small. */
const convert = (image, bytes) => {
  const longer = Math.max(image.naturalWidth, image.naturalHeight)
  for (let side = SIDE; side >= 16; side /= 2) {
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round((image.naturalWidth * side) / longer))
    canvas.height = Math.max(1, Math.round((image.naturalHeight * side) / longer))
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height)
    const address = canvas.toDataURL('image/png')
    if (((address.length - address.indexOf(',')) * 3) / 4 <= bytes) return address
  }
}

for (const place of document.querySelectorAll('[data-image]')) {
  const field = place.querySelector('input[type=file]')
  const sent = place.querySelector('input[type=hidden]')
  const shown = place.querySelector('img')
  const status = place.querySelector('[role=status]')
  field.addEventListener('change', async () => {
    sent.value = ''
    status.textContent = ''
    const [file] = field.files
    if (!file) return
    try {
      const image = new Image()
      image.src = await read(file)
      await image.decode()
      const address = convert(image, Number(place.dataset.image))
      if (!address) throw new Error('too large')
      sent.value = address.slice(address.indexOf(',') + 1)
      shown.src = address
      shown.hidden = false
    } catch {
      field.value = ''
      status.textContent = place.dataset.wrong
    }
  })
  place.hidden = false
}
