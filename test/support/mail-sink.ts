import type { Socket } from 'bun'

/** A mail server that accepts everything and retains what it received, header included. */
export class MailSink {
  readonly mails: string[] = []
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = []
  readonly #server

  constructor() {
    const sink = this
    this.#server = Bun.listen<{ data: string; isBody: boolean }>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open(socket) {
          socket.data = { data: '', isBody: false }
          socket.write('220 sink\r\n')
        },
        data(socket, bytes) {
          socket.data.data += bytes.toString()
          sink.#read(socket)
        },
      },
    })
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#server.port}`
  }

  /** Resolves when there are `count` emails: each as text, its header first. */
  async until(count: number): Promise<string[]> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ count, resolve })
    this.#tell()
    await promise
    return this.mails.map(textOf)
  }

  #tell(): void {
    for (const { count, resolve } of this.#waiting) if (this.mails.length >= count) resolve()
  }

  stop(): void {
    this.#server.stop(true)
  }

  #read(socket: Socket<{ data: string; isBody: boolean }>): void {
    for (;;) {
      const end = socket.data.isBody ? '\r\n.\r\n' : '\r\n'
      const at = socket.data.data.indexOf(end)
      if (at < 0) return
      const text = socket.data.data.slice(0, at)
      socket.data.data = socket.data.data.slice(at + end.length)
      if (socket.data.isBody) {
        this.mails.push(text)
        this.#tell()
        socket.data.isBody = false
        socket.write('250 kept\r\n')
      } else socket.write(this.#answer(socket, text))
    }
  }

  #answer(socket: Socket<{ data: string; isBody: boolean }>, line: string): string {
    const [verb] = line.toUpperCase().split(' ')
    if (verb === 'DATA') {
      socket.data.isBody = true
      return '354 go on\r\n'
    }
    return verb === 'QUIT' ? '221 bye\r\n' : '250 well\r\n'
  }
}

/** An email as its reader sees it, before it was wrapped and encoded. */
const textOf = (mail: string): string =>
  mail
    .replaceAll('=\r\n', '')
    .replace(/(=[0-9A-F]{2})+/g, (codes) =>
      Buffer.from(codes.replaceAll('=', ''), 'hex').toString(),
    )
    .replaceAll('\r\n', '\n')
