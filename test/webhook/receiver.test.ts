import { describe, expect, test } from 'bun:test'
import { allowedPlaces } from '~/outbound/places.ts'
import { type ReceiverDeps, receiverFault } from '~/webhook/receiver.ts'

const NAME = 'hooks.example.org'

type World = Partial<ReceiverDeps> & { allow?: readonly string[]; at?: readonly string[] }

const world = ({ allow = [], at = [], ...more }: World = {}): ReceiverDeps => ({
  addressesOf: async () => at,
  deadline: () => new AbortController().signal,
  allowed: allowedPlaces(allow),
  ...more,
})

describe('receiverFault', () => {
  const at = ['93.184.215.14']

  test('accepts a public address over https, and refuses it over http', async () => {
    expect(await receiverFault(world({ allow: [], at }), `https://${NAME}/`)).toBeNull()
    expect(await receiverFault(world({ allow: [], at }), `http://${NAME}/`)).toBe('it is not https')
  })

  test.each([
    [['10.0.0.0/8'], ['10.1.2.3']],
    [['10.1.2.3'], ['10.1.2.3']],
    [['fd00::/8'], ['fd00::7']],
    [[NAME], ['10.1.2.3', 'fd00::7']],
    [[NAME.toUpperCase()], ['192.168.0.1']],
  ])('%j lets %j be private, and plain http', async (allow, addresses) => {
    const deps = world({ allow, at: addresses })
    expect(await receiverFault(deps, `http://${NAME}/`)).toBeNull()
  })

  test('refuses an address outside an allowed network', async () => {
    const deps = world({ allow: ['10.0.0.0/8'], at: ['10.1.2.3', '192.168.0.1'] })
    expect(await receiverFault(deps, `https://${NAME}/`)).toBe(
      'its host is not on the public internet',
    )
  })

  test.each([
    ['hooks.example.org/x', 'it must be a URL such as https://example.org/hook'],
    ['ftp://hooks.example.org/x', 'it must be a URL such as https://example.org/hook'],
    ['', 'it must be a URL such as https://example.org/hook'],
    ['https://user@hooks.example.org/x', 'it must not hold a user or a password'],
    ['https://:word@hooks.example.org/x', 'it must not hold a user or a password'],
    ['https://hooks.example.org/x#y', 'it must not have a part after #, which is never sent'],
    ...[
      ...[
        'https:hooks.example.org/x',
        'https:/hooks.example.org/x',
        'https:///hooks.example.org/x',
      ],
      ...['https:\\\\hooks.example.org\\x', 'https://hooks.example.org\\@example.com/x'],
      ...[' https://hooks.example.org/', 'https://hooks.example.org/a b', 'ht\ntps://example.org/'],
      ...[
        'https://hooks.example.org/\0',
        'https://hooks.example.org/\u202e',
        'https://a.org/\ud800',
      ],
    ].map((text) => [text, 'it must be a URL such as https://example.org/hook'] as const),
  ])('%j is refused: %s', async (text, fault) => {
    expect(await receiverFault(world({ allow: [], at }), text)).toBe(fault)
  })

  test('reports in time that a name cannot be looked up', async () => {
    const deadline = new AbortController()
    const deps = world({
      addressesOf: () => new Promise<never>(() => {}),
      deadline: () => deadline.signal,
    })
    const fault = receiverFault(deps, `https://${NAME}/`)
    deadline.abort()
    expect(await fault).toBe('its host cannot be looked up now')
  })
})
