import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '~/config.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { AnswerSigner } from '~/http/evidence/signing.ts'
import type { Job } from '~/jobs/schedule.ts'
import { Sealer } from '~/jobs/seal.ts'
import { methodologyOf } from '~/portal/method/said-by.tsx'
import { around } from '~/runtime/around.ts'
import { reached } from '~/runtime/reached.ts'
import type { ServiceOptions } from '~/runtime/service-options.ts'
import type { SharedSecret } from '~/runtime/shared-secret.ts'
import type { LogReader } from '~/service/evidence/log.ts'
import { createLogStore } from '~/store/evidence/log-store.ts'
import { sealPass } from '~/store/evidence/seal.ts'
import { once } from '~/store/once.ts'
import { counterOf, type Family, gauge } from '~/telemetry/families.ts'
import { LogKeys } from './log-keys.ts'

const WORK = 'corridor log seal'
const AWAY = 'the database with the log cannot be reached; retry shortly'

type Deps = Pick<ServiceOptions, 'config' | 'database' | 'clock' | 'log'> & {
  readonly secret: SharedSecret
}

/** The verifiable log of this process: its sealer, its reader, and its keys. */
export class Evidence {
  readonly keys: LogKeys
  readonly sealer: Sealer
  readonly routes: { readonly evidence: LogReader; readonly signer: AnswerSigner }

  constructor(deps: Deps) {
    const { config, database, clock, log } = deps
    this.keys = new LogKeys(deps)
    const store = createLogStore(database)
    this.sealer = new Sealer({
      store: { ...store, seal: sealing(deps, store) },
      alone: (work) => once(database, WORK, work),
      published: publishedIn(config.dataDir, store.server),
      signed: (text, name) => this.keys.signed(text, name),
      witnesses: config.witnesses,
      post: postToWitness,
      origin: originOfLog(config),
      everyMs: config.sealEveryMs,
      ...{ clock, log },
    })
    const logSize = () => this.sealer.head?.size ?? null
    this.routes = {
      evidence: boundedReader(store, () => this.sealer.nextMs),
      signer: answerSigner({ keys: this.keys, clock, logSize }),
    }
  }

  /** This process's state of the log, and the responses of its witnesses. */
  get metrics(): Family[] {
    const { sealer } = this
    return [
      gauge(['log_leaves', 'Leaves of the verifiable log'], () => sealer.head?.size ?? null),
      counterOf(
        [
          'log_cosignatures_total',
          'Requests for a cosignature that this process sent, by witness and outcome',
        ],
        () =>
          [...sealer.witnessCounts].flatMap(([witness, { signed, failed }]) => [
            [{ witness, outcome: 'signed' }, signed] as const,
            [{ witness, outcome: 'failed' }, failed] as const,
          ]),
      ),
    ]
  }

  get jobs(): readonly Job[] {
    return [this.sealer.job]
  }

  stop(): void {
    this.sealer.stop()
  }
}

/** Seals; before its first pass it notes the methodology, which is sealed as the catalogue is. */
function sealing({ config, database }: Deps, store: ReturnType<typeof createLogStore>) {
  let isNoted = false
  return async (pass: Parameters<typeof sealPass>[1]) => {
    if (!isNoted) await store.noteMethodology(methodologyOf(config))
    isNoted = true
    return sealPass(database, pass)
  }
}

/** The name of a log that was given none. */
export const originOfLog = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl === null ? 'localhost' : new URL(publicUrl).host

/** The log as requests read it: within their time, and 503 if the database is unreachable. */
const boundedReader = (
  store: ReturnType<typeof createLogStore>,
  nextMs: () => number | null,
): LogReader => ({
  ...around(store, (ask) => reached(ask(), AWAY)),
  nextMs,
})

/**
 * The newest checkpoint of a database that this machine has seen, in a file of a folder: a database
 * that is restored from an older copy of its disk shows by it. Without the folder, or the right to
 * write there, only the process knows.
 */
function publishedIn(folder: string, database: () => Promise<string>) {
  const path = async () =>
    join(folder, `log-checkpoint-${hash('sha256', await database()).slice(0, 16)}`)
  return {
    read: async (): Promise<string | null> => readFile(await path(), 'utf8').catch(() => null),
    async write(note: string): Promise<void> {
      const kept = await path()
      const next = `${kept}.${process.pid}`
      await writeFile(next, note)
        .then(() => rename(next, kept))
        .catch(() => {})
    },
  }
}

/** The longest time that a witness may take; the next seal waits for it. */
const WITNESS_MS_MAX = 5_000
const WITNESS_BYTES_MAX = 65_536

/** Sends a string to a witness. Rejects if its response is late or too long. */
async function postToWitness(url: string, body: string) {
  const signal = AbortSignal.timeout(WITNESS_MS_MAX)
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  const answer = await fetch(url, { method: 'POST', body, headers, signal, redirect: 'error' })
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body ?? []) {
    bytes += part.length
    if (bytes > WITNESS_BYTES_MAX) throw new Error('its response is too long')
    parts.push(part)
  }
  return { status: answer.status, text: Buffer.concat(parts).toString() }
}

const KEY_AWAY = 'the signing key cannot be read; retry without Accept-Signature'

function unreadable(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause
  const error = new ServiceError('database_unavailable', KEY_AWAY)
  error.cause = cause
  throw error
}

type SignerDeps = {
  readonly keys: LogKeys
  readonly clock: { now(): number }
  logSize(): number | null
}

/** Signs responses with the newest key of the log, which is read again each minute. */
function answerSigner({ keys, clock, logSize }: SignerDeps): AnswerSigner {
  let readMs = Number.NEGATIVE_INFINITY
  const current = async () => {
    const nowMs = clock.now()
    if (keys.known && Math.abs(nowMs - readMs) < MINUTE_MS) return keys.known
    const all = await reached(keys.read(), KEY_AWAY).catch(unreadable)
    readMs = nowMs
    return all
  }
  return {
    logSize,
    async key() {
      const newest = (await current()).at(-1)!
      return { id: jwkOf(newest).kid, sign: (bytes) => sign(null, bytes, newest) }
    },
    jwks: async () => (await current()).map(jwkOf),
  }
}

/** The public key as a JSON Web Key, named by its thumbprint. RFC 8037, RFC 7638 */
function jwkOf(key: KeyObject) {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  const required = { crv: 'Ed25519', kty: 'OKP', x }
  const kid = hash('sha256', JSON.stringify(required), 'base64url')
  return { ...required, kid, alg: 'EdDSA', use: 'sig' }
}
