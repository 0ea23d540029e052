import { afterEach, describe, expect, test } from 'bun:test'
import { scriptOutput } from '../support/child.ts'

let registry: Bun.Server<undefined> | null = null
afterEach(() => registry?.stop(true))

/** The outcome of an audit against a registry with this response. */
async function audited(answer: () => Response) {
  const asked: string[] = []
  registry = Bun.serve({
    port: 0,
    async fetch(request) {
      const body = new Uint8Array(await request.arrayBuffer())
      const isPacked = request.headers.get('content-encoding') === 'gzip'
      asked.push(new TextDecoder().decode(isPacked ? Bun.gunzipSync(body) : body))
      return answer()
    },
  })
  const env = { BUN_CONFIG_REGISTRY: registry.url.href }
  return { ...(await scriptOutput(['test/ops/audit.ts'], env)), asked: asked.join() }
}

const ADVISORY = {
  id: 7,
  url: 'https://example.org/advisory',
  title: 'lets anybody in',
  severity: 'high',
  vulnerable_versions: '<99',
  cwe: [],
  cvss: { score: 9 },
}

describe('audit', () => {
  test('checks the locked versions, and passes when no advisory is known', async () => {
    const { status, stdout, asked } = await audited(() => Response.json({}))
    expect(asked).toContain('"elysia"')
    expect([status, stdout.trim()]).toEqual([0, 'audited: 0 advisories, 0 more accepted'])
  })

  test('fails, and names it, when an advisory is known', async () => {
    const { status, stdout } = await audited(() => Response.json({ elysia: [ADVISORY] }))
    expect(status).toBe(1)
    expect(stdout).toContain('elysia: high: lets anybody in (https://example.org/advisory)')
  })

  test('says that it found out nothing if the registry does not respond', async () => {
    const { status, stdout } = await audited(() => new Response('no', { status: 405 }))
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^NOT AUDITED: .*405/)])
  })
})
