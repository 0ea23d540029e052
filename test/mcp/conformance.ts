import { join } from 'node:path'

const MAIN = join(
  import.meta.dir,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)

/** The number of passed and failed checks of a scenario. */
export type Score = { readonly passed: number; readonly failed: number }

/** A loopback proxy that adds a key, because the tool sends no headers of its own. */
export function proxyWithKey(url: string, key: string): Bun.Server<undefined> {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const headers = new Headers(request.headers)
      headers.set('x-api-key', key)
      const { method, body, signal } = request
      return fetch(url, { method, headers, body, signal })
    },
  })
}

/** The scores of every scenario that a revision requires, against a server without keys. */
export async function conformance(url: string, revision: string): Promise<Map<string, Score>> {
  const child = Bun.spawn(
    [process.execPath, MAIN, 'server', '--url', url, '--requirements', revision],
    { stdout: 'pipe', stderr: 'ignore' },
  )
  const said = await new Response(child.stdout).text()
  const lines = said.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$/gm)
  return new Map(
    [...lines].map(([, scenario, passed, failed]) => [
      scenario!,
      { passed: Number(passed), failed: Number(failed) },
    ]),
  )
}
