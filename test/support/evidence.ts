import { createPublicKey, sign } from 'node:crypto'
import { privateKeyOf } from '~/evidence/note.ts'
import type { AnswerSigner } from '~/http/evidence/signing.ts'
import type { LogReader } from '~/service/evidence/log.ts'

/** The log of a service that has sealed nothing. */
export const noEvidence: LogReader = {
  head: async () => null,
  sizeAt: async () => 0,
  tile: async () => null,
  entries: async () => null,
  indexOf: async () => null,
  has: async () => false,
  lastChange: async () => null,
  entryAt: async () => null,
  inclusion: async () => [],
  nextMs: () => null,
}

/** The private key of the tests. */
export const TEST_SEED = Buffer.alloc(32, 9)
const KEY = privateKeyOf(TEST_SEED)

/** Signs with a key of the tests, over a log of 123 leaves. */
export const testSigner: AnswerSigner = {
  key: async () => ({ id: 'test-key', sign: (bytes) => sign(null, bytes, KEY) }),
  jwks: async () => [{ ...createPublicKey(KEY).export({ format: 'jwk' }), kid: 'test-key' }],
  logSize: () => 123,
}
