import { join } from 'node:path'
import { pinToServers } from './cores.ts'

export type Server = {
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** Response of a replaying server to any request. */
export type Answer = {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A bare `Bun.serve` with a fixed body. */
export const bareServer = (answer: Answer) => started('bare-server.ts', JSON.stringify(answer))

/** A bare server that also does the work which is specific to each response. */
export const leastServer = (answer: Answer) => started('least-server.ts', JSON.stringify(answer))

/** The SDK's handler for the protocol of tools, with a fresh server that has one result. */
export const bareMcpServer = (result: object) =>
  started('../bare-mcp-server.ts', JSON.stringify(result))

/** A plain Elysia handler that returns the response's object. */
export const elysiaServer = (answer: Answer) => started('elysia-server.ts', JSON.stringify(answer))

/** A server that handles each of the requests by SQL. */
export const sqlServer = (databaseUrl: string) => started('../sql-server.ts', databaseUrl)

async function started(file: string, argument: string): Promise<Server> {
  const child = Bun.spawn(['bun', join(import.meta.dir, file)], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/tmp' },
    stdin: Buffer.from(argument),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (!said.endsWith('\n')) continue
    await pinToServers(child.pid)
    const origin = `http://127.0.0.1:${said.trim()}`
    const stop = async () => {
      child.kill('SIGKILL')
      await child.exited
    }
    return { origin, pid: child.pid, stop }
  }
  throw new Error(`${file} ended before it listened`)
}
