import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import type { KnownApplication } from '~/domain/person/connection.ts'
import { applicationByDocument, keepUnconnected } from '~/service/connection/connections.ts'
import {
  ApplicationFault,
  applicationIn,
  isDocumentAddress,
} from '~/wire/connection/application.ts'

const ADDRESS = 'https://agent.example/client.json'
const described = { name: 'Agent', uri: null, redirectUris: ['https://agent.example/back'] }

/** Applications in memory. */
class Kept {
  readonly known = new Map<string, KnownApplication>()
  /** The number of unconnected applications to retain. */
  room = Number.POSITIVE_INFINITY
  readonly connections: Parameters<typeof keepUnconnected>[0]['connections'] = {
    application: async (clientId) => this.known.get(clientId) ?? null,
    keepApplication: async (application) => void this.known.set(application.clientId, application),
    registeredAlready: async () => null,
    forgetUnconnected: async (max) => {
      this.room = max
    },
    connect: async () => null,
    isConnected: async () => false,
    heldBy: async () => null,
  }
}

describe('applicationByDocument', () => {
  test('reads a document once a day, and trusts a failing one for a week', async () => {
    const kept = new Kept()
    let readings = 0
    let isBroken = false
    const at = (nowMs: number) =>
      applicationByDocument(kept, ADDRESS, {
        nowMs,
        read: async () => {
          readings += 1
          if (isBroken) throw new ApplicationFault('invalid_client_metadata', 'gone')
          return described
        },
      })
    expect(await at(0)).toEqual({ ...described, clientId: ADDRESS, readMs: 0 })
    await at(DAY_MS - 1)
    expect(readings).toBe(1)
    await at(DAY_MS)
    expect(readings).toBe(2)
    isBroken = true
    expect((await at(8 * DAY_MS - 1)).readMs).toBe(DAY_MS)
    await expect(at(8 * DAY_MS)).rejects.toThrow('gone')
  })

  test('reads a document again that was read before the clock was turned back', async () => {
    const kept = new Kept()
    let readings = 0
    const read = async () => {
      readings += 1
      return described
    }
    const at = (nowMs: number) => applicationByDocument(kept, ADDRESS, { nowMs, read })
    await at(365 * DAY_MS)
    expect((await at(0)).readMs).toBe(0)
    expect(readings).toBe(2)
    await at(-1000)
    expect(readings).toBe(2)
  })
})

describe('keepUnconnected', () => {
  test('keeps up to 10,000 unconnected applications, including the new one', async () => {
    const kept = new Kept()
    await keepUnconnected(kept, 'one', { described, nowMs: 0 })
    expect([[...kept.known.keys()], kept.room]).toEqual([['one'], 10_000])
  })
})

describe('applicationIn', () => {
  const redirect_uris = ['https://agent.example/back']

  test('names a nameless application by the host of its redirect', () => {
    expect(applicationIn({ redirect_uris })).toEqual({
      name: 'agent.example',
      uri: null,
      redirectUris: redirect_uris,
    })
    expect(applicationIn({ redirect_uris: ['cursor:back'] }).name).toBe('cursor')
  })

  test('leaves out a page that could not be linked to, and unknown fields', () => {
    const document = { redirect_uris, client_uri: 'javascript:1', __proto__: { name: 'x' }, a: 1 }
    expect(applicationIn(document)).toEqual({
      name: 'agent.example',
      uri: null,
      redirectUris: redirect_uris,
    })
  })

  test('keeps ten addresses, without duplicates', () => {
    const ten = Array.from({ length: 10 }, (_, i) => `https://agent.example/${i % 9}`)
    expect(applicationIn({ redirect_uris: ten }).redirectUris).toHaveLength(9)
  })
})

describe('isDocumentAddress', () => {
  test.each([ADDRESS, 'https://a.example/x?y=1', 'https://a.example:8443/x'])('accepts %s', (id) =>
    expect(isDocumentAddress(id)).toBe(true),
  )
  test.each(['abc', '', 'http://a.example/x', 'https://a.example', 'https://A.example/x'])(
    'refuses %p',
    (id) => expect(isDocumentAddress(id)).toBe(false),
  )
})
