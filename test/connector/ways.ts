import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ImapServer } from '../support/imap-server.ts'
import { S3Server } from '../support/s3-server.ts'
import { scratchFolder } from '../support/scratch.ts'
import { SftpServer } from '../support/sftp-server.ts'

/** The bytes of a file or response, and when it was written. */
type Delivery = { readonly bytes: Uint8Array; readonly atMs: number }

/** One source of prices, with a real server behind it. */
export type Way = {
  /** The field `from` of a connector, on one line. */
  from(): string
  /** Replaces the content of the source. */
  deliver(delivery: Delivery): Promise<void> | void
  /** Refuses every request, as after an expired token or a changed password. */
  deny(isDenied: boolean): void
  stop(): unknown
}

export const SECRETS = {
  ACME_TOKEN: 'token',
  ACME_PASSWORD: 'a password',
  ACME_ID: 'S3RVER',
  ACME_SECRET: 'S3RVER',
}

/** A REST server; `reply` may respond instead of the delivery. */
export class HttpWay implements Way {
  reply: (() => Response) | null = null
  #body: Uint8Array = new Uint8Array()
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => this.reply?.() ?? new Response(this.#body as BodyInit),
  })

  from = (): string =>
    `{ url: "${this.#server.url}", headers: { Authorization: "Bearer \${ACME_TOKEN}" } }`

  deliver({ bytes }: Delivery): void {
    this.#body = bytes
  }

  deny(isDenied: boolean): void {
    this.reply = isDenied ? () => new Response('expired', { status: 401 }) : null
  }

  stop = () => this.#server.stop(true)
}

export class FolderWay implements Way {
  private constructor(private readonly folder: string) {}

  static start = async () => new FolderWay(await scratchFolder())

  from = (): string => `{ url: "file://${this.folder}/in/*" }`

  async deliver({ bytes, atMs }: Delivery): Promise<void> {
    await rm(join(this.folder, 'in'), { recursive: true, force: true })
    await mkdir(join(this.folder, 'in'))
    const path = join(this.folder, 'in/prices')
    await writeFile(path, bytes)
    await utimes(path, atMs / 1000, atMs / 1000)
  }

  deny(): void {}
  stop(): void {}
}

export class SftpWay implements Way {
  /** A fingerprint other than the server's, if set. */
  hostKey: string | null = null

  private constructor(private readonly server: SftpServer) {}

  static start = async () => new SftpWay(await SftpServer.start())

  from = (): string => {
    const { port, fingerprint } = this.server
    const who = `password: "\${ACME_PASSWORD}", host_key: "${this.hostKey ?? fingerprint}"`
    return `{ url: "sftp://corridor@127.0.0.1:${port}/out/*", ${who} }`
  }

  deliver({ bytes, atMs }: Delivery): void {
    this.server.files.clear()
    this.server.files.set('prices', { text: bytes, atMs })
  }

  deny(isDenied: boolean): void {
    this.server.password = isDenied ? 'changed' : 'a password'
  }

  stop = () => this.server.stop()
}

export class BucketWay implements Way {
  readonly server = new S3Server()

  from = (): string => {
    const login = `access_key: "\${ACME_ID}", secret_key: "\${ACME_SECRET}"`
    return `{ url: "s3://prices/out/*", endpoint: "${this.server.origin}", ${login} }`
  }

  deliver({ bytes }: Delivery): void {
    this.server.files.clear()
    this.server.files.set('out/prices', bytes)
  }

  deny(isDenied: boolean): void {
    this.server.refusal = isDenied ? ['ExpiredToken', 403] : null
  }

  stop = () => this.server.stop()
}

export class MailWay implements Way {
  private constructor(private readonly server: ImapServer) {}

  static start = async () => new MailWay(await ImapServer.start())

  from = (): string => {
    const who = `password: "\${ACME_PASSWORD}", sender: prices@partner.example`
    return `{ url: "imap://corridor@127.0.0.1:${this.server.port}/INBOX/*", ${who} }`
  }

  deliver({ bytes, atMs }: Delivery): void {
    this.server.clear()
    this.server.send({ content: bytes, atMs, name: 'prices' })
  }

  deny(isDenied: boolean): void {
    this.server.password = isDenied ? 'changed' : 'a password'
  }

  stop = () => this.server.stop()
}
