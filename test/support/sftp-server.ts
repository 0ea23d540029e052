import ssh2, { type Connection, type SFTPWrapper } from 'ssh2'

type Held = { readonly text: string | Uint8Array; readonly atMs: number }

/** An SFTP server of ssh2 with one folder, `/out`, and one user, `corridor`. */
export class SftpServer {
  readonly files = new Map<string, Held>()
  password = 'a password'
  readonly #server: ssh2.Server
  readonly #open = new Set<Connection>()

  private constructor(readonly hostKey: { readonly public: string; readonly private: string }) {
    this.#server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
      this.#open.add(client)
      client.on('close', () => this.#open.delete(client))
      client.on('error', () => {})
      client.on('authentication', (ctx) => {
        const isRight = ctx.method === 'password' && ctx.password === this.password
        if (isRight && ctx.username === 'corridor') ctx.accept()
        else ctx.reject(['password'])
      })
      client.on('session', (accept) => {
        accept().on('sftp', (begin) => this.#serve(begin()))
      })
    })
  }

  static async start(): Promise<SftpServer> {
    const server = new SftpServer(newHostKey())
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  get fingerprint(): string {
    const key = ssh2.utils.parseKey(this.hostKey.public) as ssh2.ParsedKey
    const digest = new Bun.CryptoHasher('sha256').update(key.getPublicSSH()).digest('base64')
    return `SHA256:${digest.replace(/=+$/, '')}`
  }

  stop(): void {
    for (const client of this.#open) client.end()
    this.#server.close()
  }

  #serve(sftp: SFTPWrapper): void {
    const { OK, EOF, NO_SUCH_FILE } = ssh2.utils.sftp.STATUS_CODE
    let isListed = false
    let reading = ''
    const attrsOf = ({ text, atMs }: Held) => {
      const at = Math.floor(atMs / 1000)
      return {
        mode: 0o100644,
        uid: 0,
        gid: 0,
        size: Buffer.from(text).length,
        atime: at,
        mtime: at,
      }
    }
    sftp.on('OPENDIR', (id, path) => {
      isListed = false
      if (path === '/out') sftp.handle(id, Buffer.from('d'))
      else sftp.status(id, NO_SUCH_FILE)
    })
    sftp.on('READDIR', (id) => {
      if (isListed) return sftp.status(id, EOF)
      isListed = true
      const names = [...this.files].map(([filename, held]) => {
        const longname = `-rw-r--r-- 1 a a ${Buffer.from(held.text).length} Jan 1 00:00 ${filename}`
        return { filename, longname, attrs: attrsOf(held) }
      })
      sftp.name(id, names)
    })
    sftp.on('OPEN', (id, path) => {
      reading = path.replace('/out/', '')
      sftp.handle(id, Buffer.from('f'))
    })
    sftp.on('READ', (id, _, offset, length) => {
      const bytes = Buffer.from(this.files.get(reading)!.text)
      if (offset >= bytes.length) sftp.status(id, EOF)
      else sftp.data(id, bytes.subarray(offset, offset + length))
    })
    sftp.on('FSTAT', (id) => sftp.attrs(id, attrsOf(this.files.get(reading)!)))
    sftp.on('CLOSE', (id) => sftp.status(id, OK))
  }
}

/** A host key that ssh2 can read; it cannot read 1 in 400 of those that it creates. */
function newHostKey(): ReturnType<typeof ssh2.utils.generateKeyPairSync> {
  for (;;) {
    const key = ssh2.utils.generateKeyPairSync('ed25519')
    if (!(ssh2.utils.parseKey(key.private) instanceof Error)) return key
  }
}
