import { describe, expect, test } from 'bun:test'
import { createPublicKey, verify } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { httpbis } from 'http-message-signatures'
import { contentDigest } from '~/evidence/message-signature.ts'
import { testSigner } from '../../support/evidence.ts'
import { scratchFolder } from '../../support/scratch.ts'
import { API, ORIGIN, type Reply, replyOf, World } from '../../support/world.ts'

const world = new World()
world.quote({ providerId: 'retail-a', rate: 129.5 })
const PATH = '/rates?from=USD&to=KES'
const ALL = '("@method";req "@target-uri";req "@status" "content-digest" "date")'

const ask = (wish: string, key = world.key(), path = PATH, in_ = world) =>
  in_.get(path, key, { headers: { 'accept-signature': wish } })

const publicKey = async () => {
  const [jwk] = await testSigner.jwks()
  return createPublicKey({ key: jwk as Record<string, string>, format: 'jwk' })
}

/** Reports whether a third-party library that knows the key accepts the response. */
async function isVerified(reply: Reply, url = `${API}${PATH}`): Promise<boolean | null> {
  const isWhole = reply.headers.get('content-digest') === contentDigest(Buffer.from(reply.text))
  return isWhole && (await isSigned(reply, { method: 'GET', url }))
}

async function isSigned(reply: Reply, request: { method: string; url: string }) {
  const key = await publicKey()
  return httpbis.verifyMessage(
    {
      keyLookup: async ({ keyid }) => ({
        id: keyid!,
        algs: ['ed25519'],
        verify: async (data, signature) => verify(null, data, key, signature),
      }),
      notAfter: world.clock.now() + 1000,
    },
    { status: reply.status, headers: Object.fromEntries(reply.headers) },
    { ...request, headers: {} },
  )
}

describe('Accept-Signature', () => {
  test('returns 401 without a key, whatever it requests', async () => {
    const reply = await world.get(PATH, undefined, { headers: { 'accept-signature': 'sig=(' } })
    expect(reply.status).toBe(401)
  })

  test('signs a response that another library verifies', async () => {
    const reply = await ask(`sig=${ALL};created;keyid="test-key"`)
    expect(reply.status).toBe(200)
    const seconds = Math.floor(world.clock.now() / 1000)
    expect(reply.headers.get('signature-input')).toBe(
      `sig=${ALL};created=${seconds};keyid="test-key";alg="ed25519";log-size=123`,
    )
    expect(await isVerified(reply)).toBe(true)
    expect(await isVerified(reply, `${API}/rates?from=USD&to=NGN`)).toBe(false)
    const other = { ...reply, status: 404 }
    expect(await isVerified(other)).toBe(false)
    expect(await isVerified({ ...reply, text: reply.text.replace('129.5', '129.6') })).toBe(false)
  })

  test('signs a response that openssl verifies', async () => {
    const reply = await ask('sig=()')
    const lines = ALL.slice(1, -1)
      .split(' ')
      .map((name, i) => {
        const { headers } = reply
        const values = ['GET', `${API}${PATH}`, '200', headers.get('content-digest')]
        return `${name}: ${values[i] ?? headers.get('date')}`
      })
    const parameters = reply.headers.get('signature-input')!.replace('sig=', '')
    const base = [...lines, `"@signature-params": ${parameters}`].join('\n')
    const [, signature] = /^sig=:(.+):$/.exec(reply.headers.get('signature')!)!
    const folder = await scratchFolder()
    const at = (name: string) => join(folder, name)
    await writeFile(at('base'), base)
    await writeFile(at('signature'), Buffer.from(signature!, 'base64'))
    await writeFile(at('key.pem'), (await publicKey()).export({ format: 'pem', type: 'spki' }))
    const { exitCode, stdout } = Bun.spawnSync([
      ...['openssl', 'pkeyutl', '-verify', '-pubin', '-inkey', at('key.pem'), '-rawin'],
      ...['-in', at('base'), '-sigfile', at('signature')],
    ])
    expect([exitCode, stdout.toString().trim()]).toEqual([0, 'Signature Verified Successfully'])
  })

  test('has its nonce and tag repeated, and one signature for each label', async () => {
    const reply = await ask('a=("@status");nonce="n-1", b=();tag="app"')
    const input = reply.headers.get('signature-input')!
    expect(input).toContain('a=("@method";req ')
    expect(input).toMatch(/nonce="n-1"/)
    expect(input).toMatch(/, b=.*tag="app"/)
    expect(reply.headers.get('signature')).toMatch(/^a=:[^:]+:, b=:[^:]+:$/)
    expect(await isVerified(reply)).toBe(true)
  })

  test('signs the address of PUBLIC_URL', async () => {
    const proxied = new World({ publicUrl: 'https://rates.example' })
    proxied.quote({ providerId: 'retail-a', rate: 129.5 })
    const reply = await ask('sig=()', proxied.key(), PATH, proxied)
    expect(await isVerified(reply, `https://rates.example/api/v1${PATH}`)).toBe(true)
  })

  test('signs the address below a path, whether the proxy strips that or not', async () => {
    const proxied = new World({ publicUrl: 'https://rates.example/fx' })
    proxied.quote({ providerId: 'retail-a', rate: 129.5 })
    const url = `https://rates.example/fx/api/v1${PATH}`
    const headers = { 'x-api-key': proxied.key(), 'accept-signature': 'sig=()' }
    for (const mount of ['', '/fx']) {
      const asked = new Request(`${ORIGIN}${mount}/api/v1${PATH}`, { headers })
      const reply = await replyOf(await proxied.app.handle(asked))
      expect([mount, reply.status, await isVerified(reply, url)]).toEqual([mount, 200, true])
    }
  })

  test('signs responses about the past and lists as files too', async () => {
    for (const path of ['/rates/history?from=USD&to=KES', `${PATH}&format=csv`]) {
      const reply = await ask('sig=()', world.key(), path)
      expect([path, reply.status]).toEqual([path, 200])
      expect(await isVerified(reply, `${API}${path}`)).toBe(true)
    }
  })

  test('signs the headers of a HEAD request as such', async () => {
    const headers = { 'accept-signature': 'sig=()' }
    const reply = await world.get(PATH, world.key(), { method: 'HEAD', headers })
    const url = `${API}${PATH}`
    const body = (await ask('sig=()')).headers.get('content-digest')
    expect([reply.status, reply.text, reply.headers.get('content-digest')]).toEqual([200, '', body])
    expect(await isSigned(reply, { method: 'HEAD', url })).toBe(true)
  })

  test('signs errors, which cost nothing', async () => {
    const reply = await ask('sig=()', world.key(), '/rates?from=USD&to=XXX')
    expect(reply.status).toBe(400)
    expect(await isVerified(reply, `${API}/rates?from=USD&to=XXX`)).toBe(true)
  })

  const fifty = Array.from({ length: 50 }, (_, i) => `s${i}=()`).join(', ')
  test.each([
    ['sig=("@status"', 'not a dictionary'],
    ['', 'names no signature'],
    ['sig=1', 'sig is not a list'],
    [fifty, 'requests 50 signatures; at most 4'],
    ['sig=("authorization")', 'requests authorization'],
    ['sig=("@method")', 'requests @method'],
    ['sig=("content-digest";req)', 'requests content-digest'],
    ['sig=("date";sf)', 'requests date'],
    ['sig=();alg="rsa-pss-sha512"', 'another algorithm'],
    ['sig=();keyid="other"', 'another key than test-key'],
    ['sig=();created;expires', 'sig requests expires'],
    ['sig=();nonce=1', 'nonce is not a text'],
    [`sig=();nonce="${'n'.repeat(300)}"`, 'nonce is not a text of at most 256'],
    [`sig=();tag="${'n'.repeat(3000)}"`, 'longer than 2048'],
  ])('returns 400 and spends nothing: %#', async (wish, fault) => {
    const key = world.key()
    const reply = await ask(wish, key)
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ code: 'invalid_parameter', parameter: 'Accept-Signature' })
    expect(reply.body.error).toContain(fault)
    expect(reply.headers.get('x-request-id')).not.toBeNull()
    expect((await world.get('/admin/usage', key)).body.used).toBe(0)
  })

  test('is ignored on unmetered paths, and nothing is signed without it', async () => {
    const free = await ask('sig=(', world.key(), '/admin/usage')
    expect(free.status).toBe(200)
    const plain = await world.get(PATH, world.key())
    for (const name of ['signature', 'signature-input', 'content-digest', 'date'])
      expect([name, plain.headers.get(name)]).toEqual([name, null])
  })
})

test('GET /.well-known/http-message-signatures-directory returns the key that verifies responses', async () => {
  const path = '/.well-known/http-message-signatures-directory'
  const reply = await world.app.handle(new Request(`${ORIGIN}${path}`))
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-type')).toBe(
    'application/http-message-signatures-directory+json',
  )
  const { keys } = (await reply.json()) as { keys: object[] }
  expect(keys).toEqual([expect.objectContaining({ kty: 'OKP', crv: 'Ed25519', kid: 'test-key' })])
})
