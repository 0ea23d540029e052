import { Elysia } from 'elysia'
import type { Answer } from './servers.ts'

/** A usual handler: it returns an object, which the framework serialises. */
const { method, path, status, headers, body }: Answer = await Bun.stdin.json()
const value = JSON.parse(body)

const app = new Elysia()
  .route(method, path, ({ set }) => {
    set.status = status
    Object.assign(set.headers, headers)
    return value
  })
  .listen({ port: 0, hostname: '127.0.0.1' })
process.stdout.write(`${app.server?.port}\n`)
