import { expect, test } from 'bun:test'
import { checkpointText } from '~/evidence/checkpoint.ts'
import { noteText, privateKeyOf, signedBy } from '~/evidence/note.ts'
import { COSIGNATURE_ED25519 } from '~/evidence/note-text.ts'
import { EMPTY_ROOT } from '~/evidence/tree.ts'
import { cosigned, type WitnessCounts } from '~/jobs/cosign.ts'
import { KeptLog } from '../support/log.ts'

test('a witness that knows a larger tree is counted as failed, and reported', async () => {
  const key = { name: 'witness.example', type: COSIGNATURE_ED25519, publicKey: Buffer.alloc(32) }
  const text = checkpointText({ origin: 'log.example', size: 7, root: EMPTY_ROOT })
  const signatures = [signedBy(text, 'log.example', privateKeyOf(Buffer.alloc(32, 7)))]
  const note = noteText({ text, signatures })
  const counts: WitnessCounts = new Map()
  const asked = await cosigned(note, {
    store: { consistency: async () => [], cosign: async () => {} },
    witnesses: [{ key, url: 'https://witness.example' }],
    post: async () => ({ status: 409, text: '8\n' }),
    ...{ known: new Map(), counts, log: new KeptLog() },
  })
  expect(asked).toEqual({ note, isBehind: true })
  expect([...counts]).toEqual([[key.name, { signed: 0, failed: 1 }]])
})
