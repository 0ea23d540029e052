import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '~/runtime/listener.ts'
import type { Backend, Balancer } from './balancer.ts'

const POLL_MS = 50
const START_MS_MAX = 5_000

const FAILURE = JSON.stringify({
  error: 'no replica responded; retry shortly',
  code: 'bad_gateway',
})
const FAILURE_REPLY =
  'HTTP/1.0 502 Bad Gateway\r\nContent-Type: application/json\r\nX-Replica: none\r\n' +
  `Content-Length: ${FAILURE.length}\r\nConnection: close\r\n\r\n${FAILURE}`

type Ports = { readonly port: number; readonly statsPort: number }

/** HAProxy, as an operator would set it up before several replicas. */
export class Haproxy implements Balancer {
  readonly origin: string
  readonly #stats: string

  private constructor(
    private readonly child: Bun.Subprocess,
    { port, statsPort }: Ports,
  ) {
    this.origin = `http://127.0.0.1:${port}`
    this.#stats = `http://127.0.0.1:${statsPort}/;csv`
  }

  static async start(
    program: string,
    backends: readonly Backend[],
    folder: string,
  ): Promise<Haproxy> {
    const ports = { port: freePort('127.0.0.1'), statsPort: freePort('127.0.0.1') }
    const path = join(folder, 'haproxy.cfg')
    const failurePath = join(folder, 'failure.http')
    await writeFile(failurePath, FAILURE_REPLY)
    await writeFile(path, configuration(backends, { ...ports, failurePath }))
    const log = Bun.file(join(folder, 'haproxy.log'))
    const child = Bun.spawn([program, '-db', '-f', path], { stdout: log, stderr: log })
    const haproxy = new Haproxy(child, ports)
    const deadline = performance.now() + START_MS_MAX
    while ((await haproxy.#rows()).length === 0) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`HAProxy does not start: ${await log.text()}`)
      await delay(POLL_MS)
    }
    return haproxy
  }

  async retries(): Promise<number> {
    const rows = await this.#rows()
    const own = rows.filter(({ svname }) => svname === 'BACKEND')
    return own.reduce((sum, { wretr, wredis }) => sum + Number(wretr) + Number(wredis), 0)
  }

  async ready(name: string): Promise<void> {
    const isReady = async () => {
      const rows = await this.#rows()
      return rows.some(
        (row) => row.pxname === 'ready' && row.svname === name && row.status === 'UP',
      )
    }
    while (this.child.exitCode === null && !(await isReady())) await delay(POLL_MS)
  }

  async close(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.child.exited
  }

  async #rows(): Promise<Record<string, string>[]> {
    const text = await fetch(this.#stats).then(
      (response) => response.text(),
      () => '',
    )
    const [head = '', ...lines] = text.trim().split('\n')
    const names = head.replace(/^# /, '').split(',')
    return lines.map((line) => {
      const cells = line.split(',')
      return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']))
    })
  }
}

type Places = Ports & { readonly failurePath: string }

function configuration(
  backends: readonly Backend[],
  { port, statsPort, failurePath }: Places,
): string {
  const servers = backends.map(({ name, origin }) => `  server ${name} ${new URL(origin).host}`)
  const backend = (name: string, path: string) => `
backend ${name}
  balance roundrobin
  option httpchk GET ${path}
  default-server check inter 200ms fall 1 rise 1
  option redispatch 1
  retries 3
  retry-on conn-failure empty-response response-timeout
  http-request disable-l7-retry if METH_POST
  http-response set-header x-replica %s
${servers.join('\n')}
`
  return `
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 1500ms
  errorfile 502 ${failurePath}
  errorfile 503 ${failurePath}
frontend public
  bind 127.0.0.1:${port}
  use_backend ready if { nbsrv(ready) gt 0 }
  default_backend alive
frontend figures
  bind 127.0.0.1:${statsPort}
  stats enable
  stats uri /
${backend('ready', '/readyz')}${backend('alive', '/healthz')}`
}
