import { describe, expect, test } from 'bun:test'
import { systemOutside } from '~/outbound/connection.ts'
import { allowedPlaces } from '~/outbound/places.ts'
import { receiverFault } from '~/webhook/receiver.ts'
import { ERROR_LENGTH_MAX, type SendingDeps, send } from '~/webhook/send.ts'
import { newAuthority, signedFor } from '../support/certificates.ts'
import { flood, rawReceiver, receiver } from '../support/receivers.ts'

const NAME = 'hooks.example.org'
const BODY = JSON.stringify({ type: 'alert.fired' })

type World = Partial<SendingDeps> & { allow?: readonly string[]; at?: readonly string[] }

const world = ({
  allow = ['127.0.0.1'],
  at = ['127.0.0.1'],
  ...more
}: World = {}): SendingDeps => ({
  ...systemOutside,
  addressesOf: async () => at,
  deadline: () => new AbortController().signal,
  allowed: allowedPlaces(allow),
  ...more,
})

const never = () => new AbortController().signal

const sent = (deps: SendingDeps, url: string, stop = never()) =>
  send(
    deps,
    { url: new URL(url), headers: { 'content-type': 'application/json' }, body: BODY },
    stop,
  )

/** Deps whose deadline comes on demand. */
function withDeadline() {
  const controller = new AbortController()
  const deadline = (ms: number) => {
    expect(ms).toBe(15_000)
    return controller.signal
  }
  return { deps: world({ deadline }), passes: () => controller.abort() }
}

describe('send', () => {
  test('posts the body unchanged, to the name, at the address that was looked up', async () => {
    using to = receiver()
    const answer = await sent(world(), `http://${NAME}:${to.port}/hook?x=1`)
    expect(answer).toEqual({ status: 204, error: null })
    expect(to.got).toHaveLength(1)
    expect(to.got[0]).toMatchObject({ path: '/hook', body: BODY })
    expect(to.got[0]!.headers).toMatchObject({
      host: `${NAME}:${to.port}`,
      'content-type': 'application/json',
      'content-length': String(BODY.length),
    })
  })

  test('verifies over https the certificate of the name', async () => {
    const authority = newAuthority('the only one')
    using to = receiver(undefined, { tls: signedFor(NAME, authority) })
    const trusting = world({ authorities: [authority.cert] })
    expect(await sent(trusting, `https://${NAME}:${to.port}/`)).toEqual({
      status: 204,
      error: null,
    })
    const failures = [
      await sent(world(), `https://${NAME}:${to.port}/`),
      await sent(trusting, `https://other.example.org:${to.port}/`),
    ]
    for (const { status, error } of failures) {
      expect(status).toBeNull()
      expect(error).toStartWith('it cannot be trusted over TLS (')
    }
    expect(to.got).toHaveLength(1)
  })

  test.each([500, 404, 410, 429])('%d is a refusal, reported with its words', async (status) => {
    using to = receiver(() => new Response('no\n\n\u0007such   hook', { status }))
    expect(await sent(world(), to.url)).toEqual({
      status,
      error: `it returned ${status}: no such hook`,
    })
  })

  test('a redirect to the address of metadata is a refusal, and is not followed', async () => {
    using to = receiver(() => Response.redirect('http://169.254.169.254/latest/meta-data', 307))
    expect(await sent(world({ allow: ['0.0.0.0/0'] }), to.url)).toEqual({
      status: 307,
      error: 'it returned 307; redirects are not followed',
    })
    expect(to.got).toHaveLength(1)
  })

  test('a receiver that hangs is left at the deadline', async () => {
    using to = await rawReceiver(() => {})
    const { deps, passes } = withDeadline()
    const answer = sent(deps, `http://127.0.0.1:${to.port}/`)
    await to.asked
    passes()
    expect(await answer).toEqual({ status: null, error: 'it did not respond within 15 s' })
    await to.closed
  })

  test('a name that is not resolved in time is given up at the deadline', async () => {
    const { deps, passes } = withDeadline()
    const looking = Promise.withResolvers<void>()
    const addressesOf = () => {
      looking.resolve()
      return new Promise<never>(() => {})
    }
    const answer = sent({ ...deps, addressesOf }, `https://${NAME}/`)
    await looking.promise
    passes()
    expect(await answer).toEqual({ status: null, error: 'it did not respond within 15 s' })
  })

  test('a refusal whose words break off is reported without them', async () => {
    using to = await rawReceiver((socket) =>
      socket.end('HTTP/1.1 500 Bad\r\ncontent-length: 100\r\n\r\nx'),
    )
    const answer = await sent(world(), `http://127.0.0.1:${to.port}/`)
    expect(answer).toEqual({ status: 500, error: 'it returned 500' })
  })

  test.each([200, 500])('reads almost none of a 1 GB body after status %d', async (status) => {
    using to = await rawReceiver((socket) => {
      socket.write(`HTTP/1.1 ${status} Much\r\ncontent-length: ${1024 ** 3}\r\n\r\n`)
      flood(socket, 'x'.repeat(65_536))
    })
    const { error } = await sent(world(), `http://127.0.0.1:${to.port}/`)
    expect(await to.closed).toBeLessThan(64 * 1024 ** 2)
    expect(status === 200 ? error : error!.length).toBe(status === 200 ? null : ERROR_LENGTH_MAX)
  })

  test.each(['100 Continue', '103 Early Hints'])(
    'some %s are read, and not without end',
    async (status) => {
      const interim = `HTTP/1.1 ${status}\r\n\r\n`
      using endless = await rawReceiver((socket) => flood(socket, interim.repeat(1000)))
      using ending = await rawReceiver((socket) =>
        socket.end(`${interim.repeat(3)}HTTP/1.1 204 Done\r\n\r\n`),
      )
      const to = async ({ port }: { port: number }) =>
        sent(world({ deadline: () => AbortSignal.timeout(3000) }), `http://127.0.0.1:${port}/`)
      expect(await to(endless)).toEqual({ status: null, error: 'its response is not HTTP' })
      expect(await to(ending)).toEqual({ status: 204, error: null })
    },
  )

  test('a header without end, no HTTP at all, another protocol and a closed port are refusals', async () => {
    using endless = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ')
      flood(socket, 'x'.repeat(65_536))
    })
    using other = await rawReceiver((socket) => socket.end('220 mail.example.org ESMTP\r\n'))
    using upgrading = await rawReceiver((socket) =>
      socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    )
    using closing = await rawReceiver((socket) => socket.destroy())
    const to = async ({ port }: { port: number }) => sent(world(), `http://127.0.0.1:${port}/`)
    expect(await to(endless)).toEqual({ status: null, error: 'its response is not HTTP' })
    expect(await to(other)).toEqual({ status: null, error: 'its response is not HTTP' })
    expect(await to(upgrading)).toEqual({ status: 101, error: 'it returned 101' })
    expect(await to(closing)).toEqual({
      status: null,
      error: 'it could not be reached (ECONNRESET)',
    })
    const { port } = closing
    closing[Symbol.dispose]()
    expect(await to({ port })).toEqual({
      status: null,
      error: 'it could not be reached (ECONNREFUSED)',
    })
  })

  test('the end of the service ends it, without waiting for the deadline', async () => {
    using to = await rawReceiver(() => {})
    const stop = new AbortController()
    const answer = sent(world(), `http://127.0.0.1:${to.port}/`, stop.signal)
    await to.asked
    stop.abort()
    expect((await answer).status).toBeNull()
  })
})

describe('send, to private addresses', () => {
  const nobody = () => world({ allow: [] })

  test.each([
    'https://127.0.0.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[::ffff:0:a9fe:a9fe]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.1.2.3/',
    'https://localhost/',
    'https://metadata.google.internal/',
    'https://printer.local./',
  ])('%s is not contacted', async (url) => {
    const error = 'its host is not on the public internet'
    expect(await sent(nobody(), url)).toEqual({ status: null, error })
    expect(await receiverFault(nobody(), url)).toBe(error)
  })

  test('one private address among public ones is enough not to be contacted', async () => {
    using to = receiver()
    const deps = world({ allow: [], at: ['93.184.215.14', '127.0.0.1'] })
    const { error } = await sent(deps, `https://${NAME}:${to.port}/`)
    expect(error).toBe('its host is not on the public internet')
    expect(to.got).toHaveLength(0)
  })

  test('a name is looked up once, and the connection goes to that address', async () => {
    using first = receiver()
    using trap = receiver(undefined, { hostname: '127.0.0.2', port: first.port })
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    let lookups = 0
    const deps = world({ addressesOf: async () => answers[lookups++]! })
    const url = `http://${NAME}:${first.port}/`
    expect(await sent(deps, url)).toEqual({ status: 204, error: null })
    expect(lookups).toBe(1)
    expect(await sent(deps, url)).toEqual({
      status: null,
      error: 'its host is not on the public internet',
    })
    expect([first.got.length, trap.got.length]).toEqual([1, 0])
  })

  test('an unknown host is not contacted', async () => {
    const deps = world({
      addressesOf: async () => {
        throw new Error('ENOTFOUND')
      },
    })
    expect(await sent(deps, `https://${NAME}/`)).toEqual({
      status: null,
      error: 'its host is not known',
    })
  })
})
