import { join } from 'node:path'

const MAIN = join(
  import.meta.dir,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)

/** How one scenario of the official conformance tool went. */
export type Outcome = { readonly status: number; readonly passed: string; readonly text: string }

/** A loopback proxy that shows a key, because the tool sends no headers of its own. */
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

/** Runs one scenario of the tool against a server that asks for no key. */
export async function conformance(url: string, scenario: string): Promise<Outcome> {
  const child = Bun.spawn(
    [process.execPath, MAIN, 'server', '--url', url, '--scenario', scenario],
    { stdout: 'pipe', stderr: 'pipe' },
  )
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const status = await child.exited
  const passed = /Passed: (\d+\/\d+)/.exec(out)?.[1] ?? ''
  return { status, passed, text: `${out}${err}` }
}
