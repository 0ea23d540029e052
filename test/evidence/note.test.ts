import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { bundleOf, entriesOf } from '~/evidence/bundle.ts'
import { checkpointOf, checkpointText } from '~/evidence/checkpoint.ts'
import {
  isSignedBy,
  keyId,
  noteKeyOf,
  noteText,
  privateKeyOf,
  publicBytes,
  signedBy,
  verifierKey,
} from '~/evidence/note.ts'
import { COSIGNATURE_ED25519, cosigned, NOTE_ED25519, noteOf } from '~/evidence/note-text.ts'
import { proofOf, proofText } from '~/evidence/proof.ts'

const VKEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
const NOTE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`
const SEED = Buffer.alloc(32, 7)

describe('a note', () => {
  test('of the specification is verified by its key', () => {
    const key = noteKeyOf(VKEY)!
    expect(verifierKey(key)).toBe(VKEY)
    const note = noteOf(NOTE)!
    expect(isSignedBy(note, key)).toBe(true)
    expect(noteText(note)).toBe(NOTE)
    expect(isSignedBy({ ...note, text: 'This is another message.\n' }, key)).toBe(false)
    expect(isSignedBy(note, { ...key, name: 'example.com/bar' })).toBeNull()
  })

  test('that we sign is verified by the key that we publish', () => {
    const key = privateKeyOf(SEED)
    const own = { name: 'log.example', type: NOTE_ED25519, publicKey: publicBytes(key) }
    const text = checkpointText({ origin: 'log.example', size: 3, root: SEED })
    const signed = noteText({ text, signatures: [signedBy(text, 'log.example', key)] })
    expect(isSignedBy(noteOf(signed)!, noteKeyOf(verifierKey(own))!)).toBe(true)
  })

  test('keeps the empty lines of its text', () => {
    const text = 'one\n\ntwo\n'
    const signed = noteText({ text, signatures: [signedBy(text, 'x', privateKeyOf(SEED))] })
    expect(noteOf(signed)?.text).toBe(text)
  })

  test.each([
    ['is empty', ''],
    ['has no signature', 'text\n\n'],
    ['ends in the middle of a line', NOTE.slice(0, -1)],
    ['has a signature without a name', 'text\n\n— Uw2QOg==\n'],
    ['has a signature of an id alone', 'text\n\n— x Uw2QOg==\n'],
    ['has too many signatures', `text\n\n${'— x Uw2QOkn8\n'.repeat(65)}`],
  ])('is invalid if it %s', (_, text) => {
    expect(noteOf(text)).toBeNull()
  })

  test.each(['', 'x', 'a+b+c', VKEY.replace('530d903a', '530d903b'), `${VKEY}A`])(
    'has no key like %p',
    (text) => {
      expect(noteKeyOf(text)).toBeNull()
    },
  )
})

describe('a cosignature', () => {
  test('signs the time and the text of the checkpoint', () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const key = {
      name: 'witness.example/w1',
      type: COSIGNATURE_ED25519,
      publicKey: publicBytes(privateKey),
    }
    const text = checkpointText({ origin: 'log.example', size: 3, root: SEED })
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(1679315147n)
    const signature = sign(null, Buffer.from(cosigned(text, 1679315147n)), privateKey)
    const line = { name: key.name, id: keyId(key), signature: Buffer.concat([time, signature]) }
    expect(isSignedBy({ text, signatures: [line] }, key)).toBe(true)
    time.writeBigUInt64BE(1679315148n)
    const later = { ...line, signature: Buffer.concat([time, signature]) }
    expect(isSignedBy({ text, signatures: [later] }, key)).toBe(false)
    const short = { ...line, signature }
    expect(isSignedBy({ text, signatures: [short] }, key)).toBe(false)
  })

  test('signs the message in the specification', () => {
    const body =
      'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n'
    expect(cosigned(body, 1679315147n)).toBe(`cosignature/v1\ntime 1679315147\n${body}`)
  })
})

describe('a checkpoint', () => {
  test('of the specification is read and written', () => {
    const text =
      'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n'
    const checkpoint = checkpointOf(text)!
    expect(checkpoint).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20852163 })
    expect(checkpointText(checkpoint)).toBe(text)
  })

  test.each([
    '',
    'x\n1\n',
    '\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
    'x\n01\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
    'x\n-1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
    'x\n1\nCsUYapGGPo4dkMgIAUqom\n',
    'x\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=',
  ])('is invalid in %p', (text) => {
    expect(checkpointOf(text)).toBeNull()
  })
})

describe('a proof', () => {
  test('is read as it was written', () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
    const proof = fc.record({
      extra: fc.option(fc.uint8Array()),
      index: fc.nat(),
      path: fc.array(hash, { maxLength: 40 }),
      checkpoint: fc.constant(NOTE),
    })
    fc.assert(
      fc.property(proof, (proof) => {
        const read = proofOf(proofText(proof))!
        expect(proofText(read)).toBe(proofText(proof))
        expect(read.index).toBe(proof.index)
      }),
    )
  })

  test('has the form of the specification', () => {
    const hash = Buffer.alloc(32, 1)
    const text = proofText({ extra: Buffer.from('x'), index: 5, path: [hash], checkpoint: NOTE })
    const line = 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE='
    expect(text).toBe(`c2sp.org/tlog-proof@v1\nextra eA==\nindex 5\n${line}\n\n${NOTE}`)
  })

  test.each([
    '',
    'c2sp.org/tlog-proof@v2\nindex 0\n\nx',
    'c2sp.org/tlog-proof@v1\nindex 00\n\nx',
    'c2sp.org/tlog-proof@v1\nindex 0\nshort\n\nx',
  ])('is invalid in %p', (text) => {
    expect(proofOf(text)).toBeNull()
  })
})

describe('a bundle', () => {
  test('is read as it was written, and is invalid if its end is missing', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1 }), (entries) => {
        const bundle = bundleOf(entries)
        expect(entriesOf(bundle)!.map((entry) => [...entry])).toEqual(
          entries.map((entry) => [...entry]),
        )
        expect(entriesOf(bundle.subarray(0, -1))).toBeNull()
      }),
    )
  })
})
