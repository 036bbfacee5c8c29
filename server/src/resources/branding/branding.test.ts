/** Uploaded images of a system: what is accepted, stored, served and shown. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { PNG_SIGNATURE, pngChunk, pngChunks, pngHeader, pngOf } from '../../../test/support/png.ts'
import {
  type AdminClient,
  authUrl,
  newBrowser,
  newPkce,
  startTestApp,
} from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import { images, systems } from '../../database/schema.ts'
import { renewImageAddresses } from '../images/queries.ts'

const TYPE = { 'content-type': 'image/png' }
const at = (systemId: string, image = 'logo') => `/admin/systems/${systemId}/branding/${image}`
const put = (client: AdminClient, systemId: string, png: Buffer, image = 'logo') =>
  client.put(at(systemId, image), png, TYPE)

/** A PNG of these chunks. */
const imageOf = (...chunks: Buffer[]) => Buffer.concat([PNG_SIGNATURE, ...chunks])
const pixels = (bytes: number) => pngChunk('IDAT', deflateSync(Buffer.alloc(bytes)))

test('an uploaded image is served at an address with its hash, and is 404 once it is removed', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const { id } = await newSystem({ branding: { color: '#112233' } })
  const png = pngOf()

  const answers = []
  for (const [image, field] of [
    ['logo', 'logoUrl'],
    ['logo-dark', 'logoDarkUrl'],
    ['favicon', 'faviconUrl'],
  ] as const) {
    const { status, body } = await put(platform, id, png, image)
    const served = await fetch(body.branding[field])
    answers.push([status, served.status, Buffer.from(await served.arrayBuffer()).equals(png)])
    assert.match(new URL(body.branding[field]).pathname, /^\/brand\/[\w-]{43}\.png$/)
    assert.deepEqual(
      ['content-type', 'cache-control', 'x-content-type-options', 'content-security-policy'].map((name) =>
        served.headers.get(name),
      ),
      ['image/png', 'public, max-age=86400', 'nosniff', "default-src 'none'; sandbox"],
    )
    assert.equal(served.headers.get('cross-origin-resource-policy'), 'cross-origin')
  }
  assert.deepEqual(answers, [
    [200, 200, true],
    [200, 200, true],
    [200, 200, true],
  ])

  const { branding } = (await platform.get(`/admin/systems/${id}`)).body
  const removed = await platform.delete(at(id))
  const again = await platform.delete(at(id))
  const statuses = await Promise.all(
    [branding.logoUrl, branding.logoDarkUrl, branding.faviconUrl].map(
      async (url) => (await fetch(url)).status,
    ),
  )
  assert.deepEqual([removed.status, again.status, again.body.code], [204, 404, 'image_not_found'])
  assert.deepEqual(statuses, [404, 200, 200])
  const { logoUrl, ...rest } = branding
  assert.deepEqual((await platform.get(`/admin/systems/${id}`)).body.branding, rest)
  const entries = await audited({ targetId: id, action: 'system.updated' })
  assert.deepEqual(
    entries.map(({ changes }) => Object.keys(changes ?? {})),
    Array.from({ length: 4 }, () => ['branding']),
  )
  assert.ok(logoUrl)
})

test('P98: an image is stored with the chunks that draw it alone', async (t) => {
  const { platform, newSystem, db } = await startTestApp(t)
  const { id } = await newSystem()
  const text = pngChunk('tEXt', 'Comment\0<script>alert(1)</script>')
  const png = Buffer.concat([
    pngOf({ before: [text, pngChunk('eXIf', 'GPS'), pngChunk('acTL', Buffer.alloc(8))], after: [text] }),
    Buffer.from('<script>alert(2)</script>'),
  ])

  const { status } = await put(platform, id, png)

  const [row] = await db.select().from(images).where(eq(images.systemId, id))
  assert.equal(status, 200)
  assert.deepEqual(
    pngChunks(row!.bytes).map(([type]) => type),
    ['IHDR', 'IDAT', 'IEND'],
  )
  assert.deepEqual(row!.bytes, pngOf())
})

test('what follows the compressed pixels is removed, and several IDAT become one', async (t) => {
  const { platform, newSystem, db } = await startTestApp(t)
  const { id } = await newSystem()
  const [, [, data]] = pngChunks(pngOf()) as [unknown, [string, Buffer]]
  const png = imageOf(
    pngChunk('IHDR', pngHeader()),
    pngChunk('IDAT', data.subarray(0, 5)),
    pngChunk('IDAT', Buffer.concat([data.subarray(5), Buffer.from('<?php hidden ?>')])),
    pngChunk('IEND'),
  )

  const { status } = await put(platform, id, png)

  const [row] = await db.select().from(images).where(eq(images.systemId, id))
  assert.deepEqual([status, row!.bytes.equals(pngOf())], [200, true])
})

test('every color type is accepted, also interlaced, with a palette and transparency', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const header = (more: object) => pngChunk('IHDR', pngHeader({ width: 3, height: 3, ...more }))
  const end = pngChunk('IEND')
  const palette = pngChunk('PLTE', Buffer.from('000000ffffff', 'hex'))
  const valid: Record<string, Buffer> = {
    'gray of 1 bit': imageOf(header({ color: 0, depth: 1 }), pixels(3 * 2), end),
    'gray of 16 bits with transparency': imageOf(
      header({ color: 0, depth: 16 }),
      pngChunk('tRNS', Buffer.alloc(2)),
      pixels(3 * 7),
      end,
    ),
    'true color': imageOf(header({ color: 2 }), pixels(3 * 10), end),
    'true color with transparency': imageOf(
      header({ color: 2 }),
      palette,
      pngChunk('tRNS', Buffer.alloc(6)),
      pixels(3 * 10),
      end,
    ),
    indexed: imageOf(header({ color: 3, depth: 2 }), palette, pngChunk('tRNS', 'a'), pixels(3 * 2), end),
    'gray with alpha': imageOf(header({ color: 4 }), pixels(3 * 7), end),
    // 3 x 3 has pixels in the passes 1, 4 (1 row of 1), 5, 6 and 7: section 8.1.
    interlaced: imageOf(header({ color: 0, interlace: 1 }), pixels(2 + 2 + 3 + 2 * 2 + 4), end),
  }

  const answers = []
  for (const [name, png] of Object.entries(valid)) {
    const { status, body } = await put(platform, id, png)
    if (status !== 200) answers.push([name, body])
  }

  assert.deepEqual(answers, [])
})

test('P98: anything else than a PNG within the limits is 400, and stores nothing', async (t) => {
  const { platform, newSystem, db } = await startTestApp(t)
  const { id } = await newSystem()
  const header = pngChunk('IHDR', pngHeader())
  const [data, end] = [pixels(2 * 9), pngChunk('IEND')]
  const palette = pngChunk('PLTE', Buffer.alloc(6))
  const flipped = Buffer.from(pngOf())
  flipped[50] = flipped[50]! ^ 1
  const wrong: Record<string, Buffer> = {
    'an SVG': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    'a JPEG': Buffer.from('ffd8ffe000104a464946', 'hex'),
    empty: Buffer.alloc(0),
    'the signature alone': PNG_SIGNATURE,
    'cut off': pngOf().subarray(0, -6),
    'a wrong checksum': flipped,
    'a length beyond the end': imageOf(Buffer.from('7fffffff49484452', 'hex'), Buffer.alloc(30)),
    'no IHDR first': imageOf(data, header, end),
    'no IDAT': imageOf(header, end),
    'IDAT apart': imageOf(header, data, pngChunk('tIME', 'x'), data, end),
    'two headers': imageOf(header, header, data, end),
    'two palettes': imageOf(header, palette, palette, data, end),
    'a palette after the pixels': imageOf(header, data, palette, end),
    'an unknown critical chunk': imageOf(header, pngChunk('ABCD'), data, end),
    'no palette': imageOf(pngChunk('IHDR', pngHeader({ color: 3 })), pixels(6), end),
    'too long a palette': imageOf(
      pngChunk('IHDR', pngHeader({ color: 3, depth: 1 })),
      pngChunk('PLTE', Buffer.alloc(9)),
      pixels(4),
      end,
    ),
    'a palette of gray': imageOf(pngChunk('IHDR', pngHeader({ color: 0 })), palette, pixels(6), end),
    'transparency of alpha': imageOf(header, pngChunk('tRNS', 'ab'), data, end),
    'an undefined color type': imageOf(pngChunk('IHDR', pngHeader({ color: 5 })), data, end),
    'an undefined depth': imageOf(pngChunk('IHDR', pngHeader({ color: 2, depth: 4 })), data, end),
    'an undefined interlace': imageOf(pngChunk('IHDR', pngHeader({ interlace: 2 })), data, end),
    'no width': imageOf(pngChunk('IHDR', pngHeader({ width: 0 })), data, end),
    'too wide': pngOf({ width: 1_025, height: 1 }),
    'too high': pngOf({ width: 1, height: 1_025 }),
    'fewer pixels than the header says': imageOf(header, pixels(2 * 9 - 1), end),
    'more pixels than the header says': imageOf(header, pixels(2 * 9 + 1), end),
    'a bomb': imageOf(header, pngChunk('IDAT', deflateSync(Buffer.alloc(200_000_000))), end),
    'pixels that are not compressed': imageOf(header, pngChunk('IDAT', Buffer.alloc(18)), end),
    'an unknown filter': imageOf(header, pngChunk('IDAT', deflateSync(Buffer.alloc(18, 5))), end),
  }

  const accepted = []
  for (const [name, png] of Object.entries(wrong)) {
    const { status, body } = await put(platform, id, png)
    if (status !== 400 || body.code !== 'invalid_request' || body.errors?.[0]?.path !== '')
      accepted.push([name, status, body])
  }

  assert.deepEqual(accepted, [])
  assert.deepEqual(await db.select().from(images).where(eq(images.systemId, id)), [])
})

test('a body that is too large is 413, one of another type 415, another image 404', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const most = pngOf({ before: [pngChunk('tEXt', Buffer.alloc(262_144 - pngOf().length - 12, 'a'))] })
  const large = Buffer.concat([most, Buffer.alloc(1)])

  const answers = [
    await put(platform, id, most),
    await put(platform, id, large),
    await platform.put(at(id), pngOf(), { 'content-type': 'image/svg+xml' }),
    await platform.put(at(id), '{}', { 'content-type': 'application/json' }),
    await put(platform, id, pngOf(), 'banner'),
    await put(platform, crypto.randomUUID(), pngOf()),
  ]

  assert.equal(most.length, 262_144)
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code]),
    [
      [200, undefined],
      [413, 'payload_too_large'],
      [415, 'unsupported_media_type'],
      [415, 'unsupported_media_type'],
      [404, 'not_found'],
      [404, 'system_not_found'],
    ],
  )
})

test('a change of branding keeps an upload by its address, and removes it by another value', async (t) => {
  const { platform, newSystem, audited, url } = await startTestApp(t)
  const { id } = await newSystem()
  for (const image of ['logo', 'logo-dark', 'favicon']) await put(platform, id, pngOf(), image)
  const { branding } = (await platform.get(`/admin/systems/${id}`)).body
  const patch = async (next: object) => {
    const { status, body } = await platform.patch(`/admin/systems/${id}`, { branding: next })
    const served = await Promise.all(
      [branding.logoUrl, branding.logoDarkUrl, branding.faviconUrl].map(
        async (address) => (await fetch(address)).status,
      ),
    )
    return [status, status === 200 ? body.branding : body.errors[0].path, served]
  }
  const { logoUrl, logoDarkUrl, faviconUrl } = branding
  const before = (await audited({ targetId: id })).length

  assert.deepEqual(await patch(branding), [200, branding, [200, 200, 200]])
  assert.equal((await audited({ targetId: id })).length, before)
  assert.deepEqual(await patch({ ...branding, color: '#112233' }), [
    200,
    { ...branding, color: '#112233' },
    [200, 200, 200],
  ])
  const foreign = (await put(platform, (await newSystem()).id, pngOf())).body.branding.logoUrl
  for (const [field, address] of [
    ['logoUrl', foreign],
    ['logoUrl', `${url}/brand/x.png`],
    ['logoDarkUrl', logoUrl],
    ['faviconUrl', 'https://cdn.example/icon.png'],
  ])
    assert.deepEqual(await patch({ ...branding, [field]: address }), [
      400,
      `/branding/${field}`,
      [200, 200, 200],
    ])
  const elsewhere = { logoUrl: 'https://cdn.example/logo.png', faviconUrl }
  assert.deepEqual(await patch(elsewhere), [200, elsewhere, [404, 404, 200]])
  assert.deepEqual((await patch({ ...elsewhere, logoUrl }))[1], '/branding/logoUrl')
  assert.deepEqual(await patch({}), [200, {}, [404, 404, 404]])
  assert.ok(logoDarkUrl)
})

test('a new system has no upload', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { branding } = (await put(platform, (await newSystem()).id, pngOf())).body

  const answers = await Promise.all(
    [{ logoUrl: branding.logoUrl }, { logoDarkUrl: 'https://cdn.example/a.png' }].map((given) =>
      platform.post('/admin/systems', { name: 'Shop', branding: given }),
    ),
  )

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.errors[0].path]),
    [
      [400, '/branding/logoUrl'],
      [400, '/branding/logoDarkUrl'],
    ],
  )
})

test('equal images of two systems have different addresses; one is removed without the other', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const [one, other] = [await newSystem(), await newSystem()]
  const first = (await put(platform, one.id, pngOf())).body.branding.logoUrl
  const second = (await put(platform, other.id, pngOf())).body.branding.logoUrl

  await platform.delete(at(one.id))

  assert.notEqual(first, second)
  assert.deepEqual([(await fetch(first)).status, (await fetch(second)).status], [404, 200])
})

test('the images of a deleted system are not found', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const { logoUrl } = (await put(platform, id, pngOf())).body.branding

  await platform.delete(`/admin/systems/${id}`)

  assert.equal((await fetch(logoUrl)).status, 404)
})

test('a system uploads images of its own, an account admin none', async (t) => {
  const { platform, newSystem, serviceOf, newMembership, newUser, newRole, signIn, as } =
    await startTestApp(t)
  const system = await newSystem({ multiAccount: true, allowClientCredentials: true })
  const other = await newSystem()
  const service = await serviceOf(system)
  const role = await newRole(system.id, { isAdmin: true })
  const user = await newUser()
  await newMembership({ userId: user.id, systemId: system.id, accountName: 'Acme', roles: [role.id] })
  const admin = as((await signIn(system, { email: user.email })).access_token)

  const answers = [
    await put(service, system.id, pngOf()),
    await put(service, other.id, pngOf()),
    await put(admin, system.id, pngOf()),
    await admin.delete(at(system.id)),
    await service.delete(at(system.id)),
  ]

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body?.code]),
    [
      [200, undefined],
      [404, 'system_not_found'],
      [403, 'insufficient_authority'],
      [403, 'insufficient_authority'],
      [204, undefined],
    ],
  )
  assert.deepEqual((await platform.get(`/admin/systems/${other.id}`)).body.branding, {})
})

test('pages show the uploaded logo, that of dark mode and the icon', async (t) => {
  const { platform, newSystem, url } = await startTestApp(t)
  const system = await newSystem()
  for (const image of ['logo', 'logo-dark', 'favicon'])
    await put(platform, system.id, pngOf({ color: '#abcdef' }), image)
  const { branding } = (await platform.get(`/admin/systems/${system.id}`)).body
  const visitor = newBrowser(url)

  const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
  const json = await visitor.get(
    page.headers.get('location') ?? String(/action="([^"]+)\/login"/.exec(String(page.body))?.[1]),
    {
      accept: 'application/json',
    },
  )

  const body = String(page.body)
  assert.ok(body.includes(`<link rel="icon" href="${branding.faviconUrl}"`), body)
  assert.ok(body.includes(`<source srcset="${branding.logoDarkUrl}" media="(prefers-color-scheme: dark)">`))
  assert.ok(body.includes(`src="${branding.logoUrl}"`))
  assert.match(String(page.headers.get('content-security-policy')), /img-src 'self' data:/)
  assert.deepEqual(json.body.system, { name: system.name, ...branding })
})

test('the addresses of uploads follow BASE_URL, those elsewhere stay', async (t) => {
  const { platform, newSystem, db } = await startTestApp(t)
  const [one, other] = [
    await newSystem(),
    await newSystem({ branding: { logoUrl: 'https://cdn.example/a.png' } }),
  ]
  await put(platform, one.id, pngOf())
  const { branding } = (await put(platform, one.id, pngOf(), 'favicon')).body
  await put(platform, other.id, pngOf(), 'favicon')

  await db
    .transaction(async (tx) => {
      await renewImageAddresses(tx as unknown as typeof db, { BASE_URL: 'https://id.example' })
      const rows = await tx.select({ id: systems.id, branding: systems.branding }).from(systems)
      const found = new Map(rows.map((row) => [row.id, row.branding]))
      const moved = (address: string) => `https://id.example${new URL(address).pathname}`
      assert.deepEqual(found.get(one.id), {
        logoUrl: moved(branding.logoUrl),
        faviconUrl: moved(branding.faviconUrl),
      })
      assert.equal(found.get(other.id)?.logoUrl, 'https://cdn.example/a.png')
      assert.match(String(found.get(other.id)?.faviconUrl), /^https:\/\/id\.example\/brand\//)
      tx.rollback()
    })
    .catch((error: Error) => assert.match(error.message, /rollback/i))
})
