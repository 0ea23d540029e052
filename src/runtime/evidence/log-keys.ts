import { type KeyObject, randomBytes } from 'node:crypto'
import type { Config } from '~/config.ts'
import { noteText, privateKeyOf, publicBytes, signedBy, verifierKey } from '~/evidence/note.ts'
import { NOTE_ED25519 } from '~/evidence/note-text.ts'
import type { SharedSecret } from '~/runtime/shared-secret.ts'
import type { Database } from '~/store/database.ts'
import { createLogKeyStore } from '~/store/evidence/key-store.ts'
import { sealBy } from '~/webhook/secrets.ts'

const SEED_BYTES = 32

type Deps = {
  readonly config: Pick<Config, 'logKeys'>
  readonly database: Pick<Database, 'sql'>
  readonly secret: SharedSecret
}

/**
 * The keys that sign the log: those of the setting, or else those in the database, of which the
 * first is created when it is first needed. All of them sign, so that a key can be replaced.
 */
export class LogKeys {
  readonly #store: ReturnType<typeof createLogKeyStore>
  readonly #seal: ReturnType<typeof sealBy>
  #known: readonly KeyObject[] | null = null

  constructor(private readonly deps: Deps) {
    this.#store = createLogKeyStore(deps.database)
    this.#seal = sealBy(deps.secret, randomBytes, 'log key')
  }

  /** The keys as they were last read, the oldest first; null before that. */
  get known(): readonly KeyObject[] | null {
    return this.#known
  }

  /** Reads the keys, and creates one if there is none. */
  async read(): Promise<readonly KeyObject[]> {
    const seeds = this.deps.config.logKeys ?? (await this.#stored())
    this.#known = seeds.map(privateKeyOf)
    return this.#known
  }

  async signed(text: string, name: string): Promise<string> {
    const keys = await this.read()
    return noteText({ text, signatures: keys.map((key) => signedBy(text, name, key)) })
  }

  /** The published keys with which others verify signatures under a name. */
  async verifierKeys(name: string): Promise<string[]> {
    const keys = await this.read()
    return keys.map((key) => verifierKey({ name, type: NOTE_ED25519, publicKey: publicBytes(key) }))
  }

  /** Adds a key, so that both sign. */
  async rotate(): Promise<void> {
    await this.#stored()
    await this.#add({ isFirst: false })
  }

  /** Adds a key that signs alone, also if no older one can be read. */
  async replace(): Promise<void> {
    await this.#add({ isFirst: false })
    await this.retire()
  }

  /** Retires every key but the newest; returns their number. */
  retire(): Promise<number> {
    return this.#store.retireOlder()
  }

  async #stored(): Promise<readonly Uint8Array[]> {
    let rows = await this.#store.keys()
    if (rows.length === 0) {
      await this.#add({ isFirst: true })
      rows = await this.#store.keys()
    }
    return Promise.all(
      rows.map(async ({ sealed }) => Buffer.from(await this.#opened(sealed), 'base64')),
    )
  }

  async #opened(sealed: string): Promise<string> {
    await this.deps.secret()
    try {
      return await this.#seal.opened(sealed)
    } catch (cause) {
      throw new Error(
        'the key of the log was encrypted with another AUTH_SECRET: restore that, set LOG_KEY, ' +
          'or replace the key by corridor log key --rotate --retire',
        { cause },
      )
    }
  }

  async #add(how: { isFirst: boolean }): Promise<void> {
    const seed = randomBytes(SEED_BYTES).toString('base64')
    await this.#store.add(await this.#seal.sealed(seed), how)
  }
}
