import { afterEach, describe, expect, test } from 'bun:test'
import type { Client } from '@modelcontextprotocol/client'
import { keyHashOf } from '~/domain/api-key.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Plan } from '~/domain/quota.ts'
import { Listening } from '~/mcp/listen/listening.ts'
import { quote } from '../../support/quotes.ts'
import { modern, ToolWorld } from '../tool-world.ts'

const KES = 'corridor://rates/USD/KES'
const NGN = 'corridor://rates/USD/NGN'

let open: ToolWorld[] = []
afterEach(async () => {
  await Promise.all(open.map((tools) => tools.stop()))
  open = []
})

/** A world whose log of changes is written by hand, and the notifications of its clients. */
class Scene {
  readonly tools = new ToolWorld()
  readonly world = this.tools.world
  readonly received: string[] = []
  #position = 1
  #ids = 1000
  #receive = () => {}

  constructor() {
    open.push(this.tools)
  }

  /** A client that collects the addresses in its notifications. */
  async client(key: string): Promise<Client> {
    const { client } = await this.tools.connect(key, { pin: '2026-07-28' })
    const modern = client as Client
    modern.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      this.received.push(params.uri)
      this.#receive()
    })
    return modern
  }

  /** Records prices, one for each corridor, in one commit. */
  async record(...targets: string[]): Promise<void> {
    const id = () => ++this.#ids
    const atMs = this.world.clock.now()
    const quotes = targets.map((to) => quote({ id: id(), atMs, to, rate: 100 + this.#ids / 1000 }))
    await this.#apply('observations', atMs, quotes)
  }

  async passHour(): Promise<void> {
    const { clock } = this.world
    clock.advance(HOUR_MS - (clock.now() % HOUR_MS))
    await this.#apply('hour', clock.now(), [])
  }

  /** Resolves once this many addresses were notified. */
  async until(count: number): Promise<readonly string[]> {
    while (this.received.length < count) {
      await new Promise<void>((resolve) => {
        this.#receive = resolve
      })
    }
    return this.received
  }

  async #apply(kind: 'observations' | 'hour', atMs: number, quotes: ReturnType<typeof quote>[]) {
    const days = { referencesAt: async () => new Map() }
    const change = { position: ++this.#position, kind, atMs, quotes }
    await this.world.live.apply(change, days as never)
  }
}

const listen = (client: Client, ...resourceSubscriptions: string[]) =>
  client.listen({ resourceSubscriptions })

describe('subscriptions/listen', () => {
  test('notifies a client which of its corridors changed, until it disconnects', async () => {
    const scene = new Scene()
    const key = scene.world.key()
    const client = await scene.client(key)
    expect(client.getServerCapabilities()?.resources).toEqual({ subscribe: true })
    const subscription = await listen(client, KES, NGN)
    expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [KES, NGN] })
    expect(await scene.tools.used(key)).toBe(1)
    await scene.record('KES')
    expect(await scene.until(1)).toEqual([KES])
    await scene.record('UGX')
    await scene.record('NGN', 'KES')
    expect((await scene.until(3)).slice(1).sort()).toEqual([KES, NGN])
    expect(scene.world.streams.slots.figures.open).toBe(1)
    await subscription.close()
    expect(await subscription.closed).toBe('local')
    while (scene.world.streams.slots.figures.open > 0) await Bun.sleep(5)
    expect(await scene.tools.used(key)).toBe(1)
  })

  test('notifies an hourly key at the top of the hour of what that newly shows', async () => {
    const scene = new Scene()
    const client = await scene.client(scene.world.key('free'))
    await listen(client, KES, NGN)
    await scene.record('KES')
    await scene.record('KES')
    await scene.passHour()
    await scene.record('NGN')
    await scene.passHour()
    expect(await scene.until(2)).toEqual([KES, NGN])
  })

  test.each([
    ['a corridor that is none', 'corridor://rates/USD/XXX', -32600, 'unsupported_currency'],
    ['another address', 'corridor://nothing', -32602, undefined],
  ])('refuses %s, and uses no unit or slot for it', async (_, uri, code, word) => {
    const scene = new Scene()
    const key = scene.world.key('free')
    const client = await scene.client(key)
    const error = await listen(client, KES, uri).catch((refusal) => refusal)
    expect([error.code, error.data?.code]).toEqual([code, word])
    expect(await scene.tools.used(key)).toBe(0)
    expect(scene.world.streams.slots.figures.open).toBe(0)
  })

  test('counts as a stream of its account, whose plan limits them', async () => {
    const scene = new Scene()
    const key = scene.world.key('free')
    const client = await scene.client(key)
    const first = await listen(client, KES)
    await listen(client, KES)
    expect(await listen(client, NGN).catch((error) => error)).toMatchObject({
      ...{ code: -32600, data: { code: 'too_many_streams', limit: 2 } },
    })
    expect(await scene.tools.used(key)).toBe(2)
    await first.close()
    while (scene.world.streams.slots.figures.open > 1) await Bun.sleep(5)
    await listen(client, NGN)
  })

  test('costs a unit, as a call does', async () => {
    const scene = new Scene()
    const key = scene.world.key('free')
    const client = await scene.client(key)
    for (let i = 0; i < 50; i++) await scene.world.get('/rates?from=USD&to=KES', key)
    expect(await listen(client, KES).catch((error) => error)).toMatchObject({
      data: { code: 'quota_exceeded' },
    })
    expect(scene.world.streams.slots.figures.open).toBe(0)
  })

  test('ends with its key', async () => {
    const scene = new Scene()
    const { key } = scene.world.account('pro')
    const subscription = await listen(await scene.client(key), KES)
    const known = scene.world.memory.current.keys.keyByHash(keyHashOf(key))!
    const keys = [{ ...known, revokedMs: scene.world.clock.now() }]
    scene.world.memory.publish({ access: { accounts: [], keys } }, scene.world.clock.now())
    scene.world.streams.open.tick()
    expect(await subscription.closed).toBe('graceful')
    expect(scene.world.streams.slots.figures.open).toBe(0)
  })

  test.each(['free', 'pro'] as Plan[])('ends with the plan %s', async (plan) => {
    const scene = new Scene()
    const { key, id } = scene.world.account(plan)
    const subscription = await listen(await scene.client(key), KES)
    const account = { id, email: 'a@example.com', plan: 'enterprise', role: 'member' } as const
    scene.world.memory.publish(
      { access: { accounts: [account], keys: [] } },
      scene.world.clock.now(),
    )
    scene.world.streams.open.tick()
    expect(await subscription.closed).toBe('graceful')
  })

  test('ends with the process, which then accepts no more', async () => {
    const scene = new Scene()
    const client = await scene.client(scene.world.key())
    const subscription = await listen(client, KES)
    scene.world.streams.open.stop()
    expect(await subscription.closed).toBe('graceful')
    expect(await listen(client, KES).catch(({ data }) => data)).toMatchObject({
      code: 'streams_unavailable',
    })
  })

  test('is refused if its headers disagree with its body, and uses no unit or slot', async () => {
    const scene = new Scene()
    const key = scene.world.key('free')
    const params = { notifications: { resourceSubscriptions: [KES] } }
    const { headers, body } = modern({ method: 'subscriptions/listen', params })
    const wrong = { ...headers, 'mcp-method': 'tools/list' }
    const reply = await scene.tools.fetch({ key, headers: wrong, body })
    expect(reply.status).toBe(400)
    expect(await scene.tools.used(key)).toBe(0)
    expect(scene.world.streams.slots.figures.open).toBe(0)
  })

  test('is not offered to clients of 2025', async () => {
    const scene = new Scene()
    const { client } = await scene.tools.connect(scene.world.key())
    expect(client.getServerCapabilities()?.resources).toEqual({})
    const { body } = await scene.tools.ask(scene.world.key(), {
      ...{ method: 'resources/subscribe', params: { uri: KES } },
    })
    expect(body.error.code).toBe(-32601)
  })
})

describe('a client that does not read', () => {
  /** A subscription whose frames are taken one by one. */
  function subscribed() {
    const drained: number[] = []
    const uris = [KES, NGN]
    const byCorridor = new Map([
      ['USD/KES', [KES]],
      ['USD/NGN', [NGN]],
    ])
    const reader = { drained: () => void drained.push(1), close() {} }
    const subscription = { corridors: null, names: null }
    const listening = new Listening({
      ...{ caller: {} as never, subscribed: { subscription, byCorridor, catalogue: [] } },
      begin: () => reader as never,
      over() {},
    })
    let enqueue = (_: string) => {}
    const frames = new ReadableStream<Uint8Array>({
      start(controller) {
        enqueue = (uri) => {
          const data = JSON.stringify({
            method: 'notifications/resources/updated',
            params: { uri },
          })
          controller.enqueue(new TextEncoder().encode(`event: message\ndata: ${data}\n\n`))
        }
      },
    })
    listening.subscribe((event) => 'uri' in event && enqueue(event.uri))
    const out = listening.passedOn(frames).getReader()
    const tell = (corridor: string) =>
      listening.write(`event: quote\nid: 1-0\ndata: {"corridor":"${corridor}","rate":1}\n\n`)
    return { out, tell, drained, uris, listening }
  }

  test('gets each address once, however often that changes meanwhile', async () => {
    const { out, tell, drained, listening } = subscribed()
    expect(tell('USD/KES')).toBe(true)
    for (let i = 0; i < 100; i++) expect(tell('USD/KES')).toBe(true)
    expect(tell('USD/NGN')).toBe(false)
    for (let i = 0; i < 100; i++) expect(tell('USD/KES')).toBe(false)
    const text = async () => new TextDecoder().decode((await out.read()).value)
    expect(await text()).toContain(KES)
    expect(drained).toHaveLength(1)
    expect(await text()).toContain(NGN)
    expect(tell('USD/KES')).toBe(true)
    expect(await text()).toContain(KES)
    expect(drained).toHaveLength(1)
    expect(listening.write('event: reset\nid: 9-\ndata: {"reason":"gap"}\n\n')).toBe(false)
    expect([await text(), await text()].join()).toMatch(/KES.*NGN/s)
  })
})
