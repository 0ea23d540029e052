import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { PeopleWorld } from '../people-world.ts'
import { registration } from './application.ts'
import { personAllows } from './sdk-client.ts'

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const QUESTION = /http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\?\S+/

/** A port without a listener, where the suite waits for the redirect. */
function freePort(): number {
  const server = Bun.serve({ port: 0, fetch: () => new Response() })
  const { port } = server
  void server.stop(true)
  return port!
}

test("the protocol's own suite finds no error in how applications are connected", async () => {
  const world = await PeopleWorld.start()
  const { email } = await world.member()
  const port = freePort()
  const redirect_uris = [`http://127.0.0.1:${port}/callback`]
  const { body } = await registration(world, { client_name: 'Conformance', redirect_uris })
  const asked = {
    ...{ url: world.origin, resource: `${world.origin}/mcp`, port: String(port) },
    'client-id': String(body.client_id),
  }
  const options = Object.entries(asked).flatMap(([name, value]) => [`--${name}`, value])
  const suite = Bun.spawn([process.execPath, SUITE, 'authorization', ...options], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let said = ''
  let isAsked = false
  for await (const chunk of suite.stdout) {
    said += Buffer.from(chunk).toString()
    const [question] = QUESTION.exec(said) ?? []
    if (!question || isAsked || !said.includes('Waiting')) continue
    isAsked = true
    expect((await fetch(await personAllows(new URL(question), email))).status).toBe(200)
  }
  expect(await suite.exited).toBe(0)
  expect(said).toContain('Total: 3 passed, 0 failed')
  await world.stop()
}, 120_000)
