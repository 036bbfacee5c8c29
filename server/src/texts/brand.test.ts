import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stylesheets } from '../ui/layout.ts'
import { brandUrl } from '../ui/paint.ts'
import { brandCss, SURFACES } from './brand.ts'

const channels = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
const luminance = (hex: string) => {
  const [red = 0, green = 0, blue = 0] = channels(hex).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrast = (one: string, other: string) => {
  const both = [luminance(one), luminance(other)]
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05)
}

/** The custom properties of a color's stylesheet, in light and in dark. */
function schemes(css: string): { surface: string; value: (name: string) => string }[] {
  return css
    .trim()
    .split('\n')
    .map((rule, index) => {
      const values = Object.fromEntries(
        [...rule.matchAll(/(--[\w-]+):(#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]),
      )
      return {
        surface: index === 0 ? SURFACES.light : SURFACES.dark,
        value: (name: string) => values[name] ?? 'missing',
      }
    })
}

test('every color gives sufficient contrast in light and dark (WCAG 2.2, 1.4.3, 1.4.11)', () => {
  const anyColor = fc
    .integer({ min: 0, max: 0xffffff })
    .map((value) => `#${value.toString(16).padStart(6, '0')}`)
  const extremes = ['#000000', '#ffffff', '#777777', '#ffff00', '#0000ff', '#00ff00', '#010005'].map(
    (color): [string] => [color],
  )

  fc.assert(
    fc.property(anyColor, (color) => {
      const both = schemes(brandCss(color)!)
      assert.equal(both.length, 2)
      for (const { surface, value } of both) {
        assert.ok(contrast(value('--on-accent'), value('--accent')) >= 4.5, 'text on a button')
        assert.ok(
          contrast(value('--on-accent'), value('--accent-hover')) >= 4.5,
          'text on a button under the pointer',
        )
        assert.ok(contrast(value('--accent-text'), surface) >= 4.5, 'a link')
        assert.ok(contrast(value('--focus'), surface) >= 4.5, 'a focus ring')
        assert.ok(contrast(value('--accent-line'), surface) >= 3, 'the edge of a button')
      }
    }),
    { examples: extremes, numRuns: 2_000 },
  )
})

test('a button keeps the given color, with black or white text by contrast', () => {
  const [light] = schemes(brandCss('#FFD60A')!)

  assert.deepEqual(['--accent', '--on-accent'].map(light!.value), ['#ffd60a', '#000000'])
  assert.equal(schemes(brandCss('#4f46e5')!)[0]!.value('--on-accent'), '#ffffff')
  assert.equal(
    schemes(brandCss('#000')!)[1]!.value('--accent'),
    '#ededf0',
    'black is turned round in the dark',
  )
})

test('focus has the tone of the text for every hue, red included: a mistake does not depend on color', () => {
  for (const color of ['#c62828', '#ff0000', '#be123c', '#4f46e5', '#f97316', '#ffd60a', '#7f7474'])
    for (const { value } of schemes(brandCss(color)!))
      assert.equal(value('--focus'), value('--accent-text'), color)
})

test('a button under the pointer differs from one that is not, also if its color cannot be lighter', () => {
  for (const color of ['#ffe45c', '#00ffff', '#4f46e5', '#ffffff'])
    for (const { value } of schemes(brandCss(color)!))
      assert.notEqual(value('--accent-hover'), value('--accent'), color)
})

test('an invalid color produces no stylesheet', () => {
  for (const given of [
    '',
    'red',
    '#12',
    '#1234567',
    '#ggg',
    'red;}*{display:none}',
    '#fff\n',
    '../../etc/passwd',
  ]) {
    assert.equal(brandCss(given), undefined, given)
    assert.equal(brandUrl(given), undefined, given)
  }
  assert.match(brandUrl('#FfD')!, /^\/assets\/brand-ffffdd\.css\?v=[\w-]{12}$/)
  assert.equal(brandUrl(undefined), undefined)
})

test('the backgrounds in the contrast calculation are those of the stylesheet', () => {
  const [light = '', dark = ''] = stylesheets.style.content.split('@media (prefers-color-scheme: dark)')

  assert.ok(light.includes(`--page: ${SURFACES.light};`))
  assert.ok(dark.includes(`--card: ${SURFACES.dark};`))
})
