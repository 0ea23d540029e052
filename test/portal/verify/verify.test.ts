import { describe, expect, test } from 'bun:test'
import { sign } from 'node:crypto'
import { base64 } from '~/evidence/base64.ts'
import { checkpointText } from '~/evidence/checkpoint.ts'
import {
  keyId,
  noteText,
  privateKeyOf,
  publicBytes,
  signedBy,
  verifierKey,
} from '~/evidence/note.ts'
import { COSIGNATURE_ED25519, cosigned, type SignatureLine } from '~/evidence/note-text.ts'
import { proofText } from '~/evidence/proof.ts'
import { inclusionSpans } from '~/evidence/span.ts'
import { leafHash, nodeHash, spanHash } from '~/evidence/tree.ts'
import { answerIn } from '~/portal/verify/answer.ts'
import type { Known, PublicKey, Published } from '~/portal/verify/finding.ts'
import { proofFinding } from '~/portal/verify/log-proof.ts'
import { saidIn } from '~/portal/verify/said.ts'
import { answerFinding } from '~/portal/verify/signed-answer.ts'
import { findingMessages } from '~/portal/verify/verify-page.tsx'
import { FURTHER_LANGUAGES, LANGUAGES, type Language } from '~/portal/words/language.ts'
import { Words } from '~/portal/words/words.ts'
import { noEvidence, TEST_SEED, testSigner } from '../../support/evidence.ts'
import { API, ORIGIN as HOME, World } from '../../support/world.ts'
import { textOf, visit } from '../portal-world.ts'

const ORIGIN = 'log.example'
const [{ kid, x }] = (await testSigner.jwks()) as [PublicKey]
const PUBLISHED: Published = { keys: [{ kid, x }], origin: ORIGIN, witnesses: [] }
const saidBy = (language: Language) => {
  const words = Words.in(language)
  return saidIn(findingMessages(words), words.dateLocale)
}
const KNOWN: Known = { ...PUBLISHED, ...saidBy('en') }
const STRANGER: Known = { ...KNOWN, keys: [{ ...KNOWN.keys[0]!, kid: 'other' }] }
const FORGER: Known = {
  ...KNOWN,
  keys: [{ kid: 'test-key', x: KNOWN.keys[0]!.x.replace(/^./, 'A') }],
}

const world = new World()
world.quote({ providerId: 'retail-a', rate: 129.5 })
const PATH = '/rates?from=USD&to=KES'
const URL_ASKED = `${API}${PATH}`

/** The response to a request as `curl -i` shows it. */
async function signedText(path = PATH, wish = 'sig=()'): Promise<string> {
  const { status, headers, text } = await world.get(path, world.key(), {
    headers: { 'accept-signature': wish },
  })
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} OK\r\n${lines.join('')}\r\n${text}`
}

const checked = async (text: string, { url = URL_ASKED, known = KNOWN } = {}) => {
  const answer = answerIn(new TextEncoder().encode(text))
  return answer && answerFinding(answer, url, known)
}

describe('a signed response', () => {
  test('is genuine, with what that shows and what not', async () => {
    const finding = await checked(await signedText())
    expect(finding?.verdict).toBe('proved')
    expect(finding?.shows[0]).toContain(`gave this response to ${URL_ASKED} on `)
    expect(finding?.shows.at(-1)).toContain('at that time: 123.')
    expect(finding?.limits[0]).toContain('does not show that the prices were right')
  })

  test.each([
    ['line feeds for the ends of lines', (text: string) => text.replaceAll('\r\n', '\n')],
    ['a line feed at its end', (text: string) => `${text}\n`],
    ['the answer of a proxy before it', (text: string) => `HTTP/1.1 200 Connected\r\n\r\n${text}`],
    ['the line of HTTP/2', (text: string) => text.replace(/^.*\r/, 'HTTP/2 200 \r')],
  ])('is genuine with %s', async (_, pasted) => {
    expect((await checked(pasted(await signedText())))?.verdict).toBe('proved')
  })

  test('is genuine as a pasted file with Windows line ends', async () => {
    const path = `${PATH}&format=csv`
    const text = await signedText(path)
    const finding = await checked(text.replaceAll('\r\n', '\n'), { url: `${API}${path}` })
    expect(finding?.verdict).toBe('proved')
  })

  test('is genuine by each of several signatures', async () => {
    const text = await signedText(PATH, 'a=();nonce="n", b=();tag="t"')
    expect((await checked(text))?.verdict).toBe('proved')
    const [, second] = /b=:(.)/.exec(text)!
    const forged = text.replace(/b=:./, `b=:${second === 'A' ? 'B' : 'A'}`)
    expect((await checked(forged))?.verdict).toBe('refuted')
  })

  test.each([
    ['content', (text: string) => text.replace('129.5', '129.6'), 'content is not what was signed'],
    ['status', (text: string) => text.replace(' 200 ', ' 404 '), 'signature does not fit'],
    ['time', (text: string) => text.replace(/date: .../, 'date: Xyz'), 'signature does not fit'],
    ['coverage', (text: string) => text.replace(' "date")', ')'), 'leaves something out'],
  ])('is refuted with another %s', async (_, change, title) => {
    const [text] = [await signedText()]
    expect(change(text)).not.toBe(text)
    const finding = await checked(change(text))
    expect([finding?.verdict, finding?.title]).toEqual(['refuted', expect.stringContaining(title)])
  })

  test('is refuted with another address, another key and a forged one', async () => {
    const text = await signedText()
    const findings = await Promise.all([
      checked(text, { url: URL_ASKED.replace('KES', 'NGN') }),
      checked(text, { known: STRANGER }),
      checked(text, { known: FORGER }),
    ])
    expect(findings.map((finding) => finding?.verdict)).toEqual(['refuted', 'refuted', 'refuted'])
  })

  test('is unclear without its address, without a signature, and with a broken one', async () => {
    const text = await signedText()
    const findings = await Promise.all([
      checked(text, { url: '' }),
      checked(text.replace(/signature: .*\r\n/, '')),
      checked(text.replace('signature-input: sig=(', 'signature-input: sig=')),
    ])
    expect(findings.map((finding) => finding?.verdict)).toEqual(['unclear', 'unclear', 'unclear'])
    expect(await checked('{"data":[]}')).toBeNull()
  })
})

const ENTRIES = Array.from({ length: 7 }, (_, i) =>
  Buffer.from(`{"id":${i},"kind":"observation","salt":"c2FsdA=="}`),
)
const hashOf = async (level: number, index: number): Promise<Uint8Array> =>
  level === 0
    ? leafHash(ENTRIES[index]!)
    : nodeHash(await hashOf(level - 1, index * 2), await hashOf(level - 1, index * 2 + 1))
const SIZE = ENTRIES.length
const ROOT = await spanHash({ start: 0, end: SIZE }, hashOf)
const TEXT = checkpointText({ origin: ORIGIN, size: SIZE, root: ROOT })
const NOTE = noteText({ text: TEXT, signatures: [signedBy(TEXT, ORIGIN, privateKeyOf(TEST_SEED))] })

async function proofFor(
  index: number,
  extra: Uint8Array | null = ENTRIES[index]!,
  checkpoint = NOTE,
): Promise<string> {
  const path = await Promise.all(inclusionSpans(index, SIZE).map((span) => spanHash(span, hashOf)))
  return proofText({ extra, index, path, checkpoint })
}

describe('a proof of the log', () => {
  test('is proved at every place, with the entry and without its salt', async () => {
    for (const index of ENTRIES.keys()) {
      const finding = await proofFinding(await proofFor(index), KNOWN)
      expect([index, finding.verdict]).toEqual([index, 'proved'])
      expect(JSON.parse(finding.entry!)).toEqual({ id: index, kind: 'observation' })
      expect(finding.shows[0]).toContain(`number ${index + 1} of the 7`)
    }
  })

  test('is proved after headers, with other line ends and without the last', async () => {
    const text = `HTTP/1.1 200 OK\r\n\r\n${(await proofFor(3)).replaceAll('\n', '\r\n').trimEnd()}`
    expect((await proofFinding(text, KNOWN)).verdict).toBe('proved')
  })

  test('says so if the log continues under another name', async () => {
    const finding = await proofFinding(await proofFor(3), { ...KNOWN, origin: 'log.example/2' })
    expect(finding.shows.at(-1)).toContain('log.example/2')
  })

  test.each([
    ['another entry', (text: string) => text.replace(/extra \S+/, `extra ${base64(ENTRIES[4]!)}`)],
    ['another place', (text: string) => text.replace('index 3', 'index 2')],
    ['a place beyond the end', (text: string) => text.replace('index 3', 'index 7')],
    ['another size', (text: string) => text.replace('\n7\n', '\n8\n')],
    ['another name', (text: string) => text.replaceAll(ORIGIN, 'log.other')],
  ])('is refuted with %s', async (_, change) => {
    expect((await proofFinding(change(await proofFor(3)), KNOWN)).verdict).toBe('refuted')
  })

  test('is refuted with the key of another service', async () => {
    expect((await proofFinding(await proofFor(3), FORGER)).title).toContain('did not sign')
  })

  test('is unclear if a part is missing', async () => {
    const text = await proofFor(3)
    const cut = [text.slice(0, 100), text.slice(0, -60), await proofFor(3, null)]
    for (const part of cut) expect((await proofFinding(part, KNOWN)).verdict).toBe('unclear')
  })
})

const SECOND = 1_795_000_000n
const WITNESS_SEED = privateKeyOf(Buffer.alloc(32, 5))
const WITNESS = {
  ...{ name: 'witness.example', type: COSIGNATURE_ED25519 },
  publicKey: publicBytes(WITNESS_SEED),
}
const WITNESSED: Known = {
  ...KNOWN,
  witnesses: [{ name: WITNESS.name, x: Buffer.from(WITNESS.publicKey).toString('base64url') }],
}

/** The line of the witness for a text, which states `stated` as its time. */
function witnessLine(text: string, stated = SECOND, name = WITNESS.name): SignatureLine {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(stated)
  const signature = sign(null, Buffer.from(cosigned(text, SECOND)), WITNESS_SEED)
  return { name, id: keyId({ ...WITNESS, name }), signature: Buffer.concat([time, signature]) }
}

/** The outcome of a proof whose checkpoint has these lines too. */
const witnessed = async (lines: readonly SignatureLine[], known = WITNESSED) => {
  const signatures = [signedBy(TEXT, ORIGIN, privateKeyOf(TEST_SEED)), ...lines]
  const note = noteText({ text: TEXT, signatures })
  return proofFinding(await proofFor(3, ENTRIES[3]!, note), known)
}

describe('the witnesses of a proof', () => {
  test('are named with their time, and with who vouches for their keys', async () => {
    const { verdict, shows, limits } = await witnessed([witnessLine(TEXT)])
    expect(verdict).toBe('proved')
    const day = new Date(Number(SECOND) * 1000).toISOString()
    expect(shows.at(-1)).toContain('The witness witness.example signed the same list too, on ')
    expect(shows.at(-1)).toContain(`${day.slice(11, 19)} UTC`)
    expect(limits.at(-1)).toContain('names the keys of the witnesses')
  })

  test.each([
    ['another time', witnessLine(TEXT, SECOND + 1n)],
    ['another list', witnessLine(TEXT.replace('\n7\n', '\n6\n'))],
    [
      'a part cut off',
      { ...witnessLine(TEXT), signature: witnessLine(TEXT).signature.subarray(1) },
    ],
  ])('refute it with %s', async (_, line) => {
    const { verdict, shows } = await witnessed([line])
    expect([verdict, shows]).toEqual(['refuted', [expect.stringContaining(WITNESS.name)]])
    expect((await witnessed([witnessLine(TEXT), line])).verdict).toBe('refuted')
  })

  test('are named unchecked if the service has no key of theirs', async () => {
    const other = witnessLine(TEXT, SECOND, 'other.example')
    for (const [known, lines] of [
      [KNOWN, [other]],
      [WITNESSED, [witnessLine(TEXT), other]],
    ] as const) {
      const { verdict, shows, limits } = await witnessed(lines, known)
      expect(verdict).toBe('proved')
      expect(shows.join()).not.toContain('other.example')
      expect(limits.at(-1)).toContain('under the names of other.example. This page does not check')
    }
  })

  test('are not missed if none signed', async () => {
    const { verdict, shows, limits } = await witnessed([])
    expect([verdict, shows.length, limits.length]).toEqual(['proved', 2, 2])
  })
})

describe('the outcome in each language', () => {
  const outcomes = async (language: Language) => {
    const known = { ...WITNESSED, ...saidBy(language), origin: 'log.example/2' }
    const text = await signedText()
    const proof = await proofFor(3)
    return Promise.all([
      checked(text, { known }),
      checked(text, { known: { ...known, keys: [{ kid: 'other', x }] } }),
      checked(text, { known, url: '' }),
      checked(text.replace('129.5', '129.6'), { known }),
      checked(text.replace(' "date")', ')'), { known }),
      proofFinding(proof.slice(0, 100), known),
      proofFinding(proof.replace('index 3', 'index 2'), known),
      witnessed([witnessLine(TEXT), witnessLine(TEXT, SECOND, 'other.example')], known),
      witnessed([witnessLine(TEXT, SECOND + 1n)], known),
    ])
  }
  const sentencesOf = (findings: Awaited<ReturnType<typeof outcomes>>) =>
    findings.flatMap((found) => [found!.title, ...found!.shows, ...found!.limits])

  test.each(LANGUAGES)('%s fills in every value', async (language) => {
    const said = sentencesOf(await outcomes(language))
    expect(said.filter((sentence) => !sentence || /[{}]|undefined|NaN/.test(sentence))).toEqual([])
    for (const value of [URL_ASKED, '200', '123', 'log.example/2', WITNESS.name, 'other.example'])
      expect([value, said.some((sentence) => sentence.includes(value))]).toEqual([value, true])
  })

  test.each(FURTHER_LANGUAGES)(
    '%s has the same outcome, in no sentence of English',
    async (one) => {
      const [own, english] = await Promise.all([outcomes(one), outcomes('en')])
      expect(own.map((found) => found?.verdict)).toEqual(english.map((found) => found?.verdict))
      const spoken = new Set(sentencesOf(english))
      expect(sentencesOf(own).filter((sentence) => spoken.has(sentence))).toEqual([])
    },
  )

  test('an invalid time stays as it was written', () => {
    const { timeText } = saidBy('fr')
    expect(timeText(Number.NaN, 'Xyz')).toBe('Xyz')
    expect(timeText(Number(2n ** 64n), '18446744073709551616')).toBe('18446744073709551616')
  })
})

describe('GET /verify', () => {
  test.each(FURTHER_LANGUAGES)('returns 200 in %s at its own address', async (language) => {
    const { status, text } = await visit(world, `/${language}/verify`)
    expect(status).toBe(200)
    const { say } = Words.in(language)
    expect(text).toContain(`<html lang="${language}"`)
    expect(textOf(text)).toContain(say('verify.title'))
    expect(textOf(text)).toContain(say('verify.log-empty'))
    expect(text).toContain(`hreflang="en" href="${HOME}/verify"`)
    expect(text).toContain(`hreflang="${language}" href="${HOME}/${language}/verify"`)
    expect((await visit(world, '/sitemap.xml')).text).toContain(`/${language}/verify</loc>`)
    const [, words] = /data-words="([^"]+)"/.exec(text)!
    const messages = JSON.parse(words!.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
    expect(messages).toEqual(findingMessages(Words.in(language)))
  })

  test('returns 200 with the keys of the witnesses', async () => {
    const evidence = { ...noEvidence, head: async () => ({ note: NOTE }) }
    const sealed = new World({ evidence, portal: { witnesses: [WITNESS] } })
    const { text } = await visit(sealed, '/verify')
    expect(textOf(text)).toContain(verifierKey(WITNESS))
    const [, known] = /data-verify="([^"]+)"/.exec(text)!
    expect(JSON.parse(known!.replaceAll('&quot;', '"')).witnesses).toEqual(WITNESSED.witnesses)
  })

  test('returns 200 with the key in each form, and the way without JavaScript', async () => {
    const sealed = new World({ evidence: { ...noEvidence, head: async () => ({ note: NOTE }) } })
    const { status, text } = await visit(sealed, '/verify')
    expect(status).toBe(200)
    const said = textOf(text)
    expect(said).toContain('-----BEGIN PUBLIC KEY----- MCowBQYDK2VwAyEA')
    expect(said).toMatch(/corridor log verify --url http\S+ --key 'log\.example\+[0-9a-f]{8}\+/)
    expect(said).toContain('openssl pkeyutl -verify')
    const [, known] = /data-verify="([^"]+)"/.exec(text)!
    expect(JSON.parse(known!.replaceAll('&quot;', '"'))).toEqual(PUBLISHED)
  })

  test('returns 200 before the first checkpoint', async () => {
    const { status, text } = await visit(world, '/verify')
    expect(status).toBe(200)
    expect(text).toContain('The log of this service has no entry yet.')
  })

  test('is in the sitemap, and every page leads to it', async () => {
    expect((await visit(world, '/sitemap.xml')).text).toContain('/verify</loc>')
    for (const path of ['/', '/fr/send', '/docs'])
      expect([path, (await visit(world, path)).text]).toEqual([
        path,
        expect.stringContaining(`href="${path.startsWith('/fr') ? '/fr' : ''}/verify"`),
      ])
  })
})
