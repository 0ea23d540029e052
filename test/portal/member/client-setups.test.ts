import { describe, expect, test } from 'bun:test'
import { clientSetups, installLinks } from '~/portal/member/client-setups.ts'
import { ENGLISH } from '~/portal/words/words.ts'

const PUBLIC = 'https://fx.example/corridor/mcp'
const OWN = 'http://127.0.0.1:3000/mcp'
const INSIDE = 'http://fx.internal/mcp'

const hrefs = (url: string) => installLinks(url).map(({ href }) => new URL(href))
const setupOf = (url: string, name: string) =>
  clientSetups(ENGLISH, url).find((setup) => setup.name.startsWith(name))!

describe('installLinks', () => {
  test('open each client with the address filled in, and no key', () => {
    const [claude, cursor, vsCode] = hrefs(PUBLIC)
    expect(claude!.origin + claude!.pathname).toBe('https://claude.ai/customize/connectors')
    expect(Object.fromEntries(claude!.searchParams)).toEqual({
      ...{ modal: 'add-custom-connector', connectorName: 'Corridor', connectorUrl: PUBLIC },
    })
    expect(cursor!.href).toStartWith('cursor://anysphere.cursor-deeplink/mcp/install?')
    expect(cursor!.searchParams.get('name')).toBe('corridor')
    expect(JSON.parse(atob(cursor!.searchParams.get('config')!))).toEqual({ url: PUBLIC })
    expect(vsCode!.href).toStartWith('vscode:mcp/install?')
    expect(JSON.parse(decodeURIComponent(vsCode!.search.slice(1)))).toEqual({
      ...{ name: 'corridor', type: 'http', url: PUBLIC },
    })
  })

  test('leave out Claude if its servers cannot connect', () => {
    for (const url of [OWN, INSIDE])
      expect(hrefs(url).map(({ protocol }) => protocol)).toEqual(['cursor:', 'vscode:'])
  })
})

describe('clientSetups', () => {
  test('need only the address to sign in', () => {
    for (const url of [PUBLIC, OWN, INSIDE])
      for (const { name, signIn } of clientSetups(ENGLISH, url)) {
        expect([name, signIn.text]).toEqual([name, expect.stringContaining(url)])
        expect([name, signIn.text]).toEqual([name, expect.not.stringMatching(/key|header/i)])
      }
  })

  test('say where a key goes', () => {
    for (const { name, withKey } of clientSetups(ENGLISH, PUBLIC)) {
      expect([name, withKey.text]).toEqual([name, expect.stringContaining(PUBLIC)])
      expect([name, withKey.text]).toEqual([name, expect.stringMatching(/YOUR_KEY|input:/)])
    }
  })

  test('are in the format of the clients: JSON, or one command', () => {
    for (const { name, signIn, withKey } of clientSetups(ENGLISH, OWN))
      for (const { text } of [signIn, withKey])
        if (name === 'Claude Code') expect(text).toStartWith('claude mcp add --transport http ')
        else expect(Object.keys(JSON.parse(text))).toContainAnyValues(['mcpServers', 'servers'])
  })

  test('give a connector the address alone, and a desktop without https a bridge', () => {
    expect(setupOf(PUBLIC, 'Claude Desktop').signIn.text).toBe(PUBLIC)
    const argsOf = (url: string) =>
      JSON.parse(setupOf(url, 'Claude Desktop').signIn.text).mcpServers.corridor.args
    expect(argsOf(OWN)).toEqual(['-y', 'mcp-remote', OWN])
    expect(argsOf(INSIDE)).toEqual(['-y', 'mcp-remote', INSIDE, '--allow-http'])
  })
})
