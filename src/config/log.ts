import { MINUTE_MS } from '~/domain/duration.ts'
import { asDurationMs, asLogKeys, asWitness, listOf, offOr, type Reader } from '~/setting.ts'

type Setting = <T>(name: string, fallback: T, read: Reader<T>) => T

export const readLog = (setting: Setting) => ({
  /** Interval of seals; null for never. */
  sealEveryMs: setting('LOG_SEAL_EVERY', MINUTE_MS, offOr(asDurationMs)),
  /** The keys that sign the log; null for a key in the database. */
  logKeys: setting('LOG_KEY', null, asLogKeys),
  /** The witnesses that cosign checkpoints. */
  witnesses: setting('LOG_WITNESS', [], listOf(asWitness)),
})
