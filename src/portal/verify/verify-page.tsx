import type { ComponentChildren } from 'preact'
import { checkpointOf } from '~/evidence/checkpoint.ts'
import { type NoteKey, verifierKey } from '~/evidence/note.ts'
import { COSIGNATURE_ED25519, NOTE_ED25519, noteOf } from '~/evidence/note-text.ts'
import type { AnswerSigner } from '~/http/evidence/signing.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type PublicDeps, publicPage } from '~/portal/public-page.tsx'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'
import { CATALOGUES, type MessageKey, type Words } from '~/portal/words/words.ts'
import type { LogReader } from '~/service/evidence/log.ts'
import type { PublicKey, Published, WitnessKey } from './finding.ts'
import type { FindingKey } from './said.ts'

export type VerifyDeps = PublicDeps & {
  readonly signer: Pick<AnswerSigner, 'jwks'>
  readonly evidence: Pick<LogReader, 'head'>
  readonly witnesses: readonly NoteKey[]
}

/** The page that checks a signed response or a proof in the reader's browser. */
export const verifyRoute = (deps: VerifyDeps) =>
  publicPage(deps, PATHS.verify, async ({ url, words }) => {
    const [keys, head] = await Promise.all([deps.signer.jwks(), deps.evidence.head()])
    const published = {
      keys: keys.map(({ kid, x }) => ({ kid, x: x! })),
      origin: head && checkpointOf(noteOf(head.note)!.text)!.origin,
      witnesses: deps.witnesses.map(({ name, publicKey }) => ({
        ...{ name, x: Buffer.from(publicKey).toString('base64url') },
      })),
    }
    return verifyPage(words, { published, home: deps.publicUrl ?? url.origin })
  })

type Props = { readonly published: Published; readonly home: string }

const verifyPage = ({ say }: Words, { published, home }: Props): Page => ({
  title: say('verify.title'),
  path: PATHS.verify,
  description: say('verify.lead'),
  scripts: ['verify'],
  body: (
    <article class="stack prose">
      <div class="stack-tight">
        <h1>{say('verify.title')}</h1>
        <p class="lead">{say('verify.lead')}</p>
      </div>
      <VerifyForm {...published} />
      <section
        id="verify-result"
        class="stack-tight"
        role="status"
        aria-label={say('verify.outcome')}
      />
      <Meaning />
      <ByHand {...published} home={home} />
    </article>
  ),
})

const isFinding = (key: string): key is FindingKey => key.startsWith('verify-finding.')

/** Names of the values of the messages about an outcome, which the page's script knows. */
const VALUES = ['index', 'key', 'log', 'most', 'names', 'size', 'start', 'status', 'time', 'url']
const BRACED = Object.fromEntries([...VALUES, 'witness'].map((name) => [name, `{${name}}`]))

/** The messages about an outcome, with the names of their values in braces. */
export function findingMessages({ language, say }: Words): Record<FindingKey, string> {
  const keys = (Object.keys(CATALOGUES[language]) as MessageKey[]).filter(isFinding)
  const messages = keys.map((key) => [key, say(key, BRACED)])
  return Object.fromEntries(messages)
}

function VerifyForm(published: Published) {
  const { words, say, dateLocale } = useWords()
  return (
    <>
      <noscript>
        <p>{say('verify.no-script')}</p>
      </noscript>
      <form
        class="stack-tight"
        data-verify={JSON.stringify(published)}
        data-words={JSON.stringify(findingMessages(words))}
        data-dates={dateLocale}
        hidden
      >
        <div class="field">
          <label for="verify-text">{say('verify.text')}</label>
          <textarea id="verify-text" rows={10} dir="ltr" spellcheck={false} autocomplete="off" />
        </div>
        <div class="field">
          <label for="verify-file">{say('verify.file')}</label>
          <input id="verify-file" type="file" />
        </div>
        <div class="field">
          <label for="verify-url">{say('verify.url')}</label>
          <input id="verify-url" type="url" dir="ltr" spellcheck={false} autocomplete="off" />
        </div>
        <button type="submit" class="button">
          {say('verify.send')}
        </button>
      </form>
    </>
  )
}

const strong = (parts: ComponentChildren[]) => <strong>{parts}</strong>

function Meaning() {
  const { say, rich } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="meaning">
      <h2 id="meaning">{say('verify.meaning')}</h2>
      <p>{rich('verify.meaning-response', { strong, header: <Code text={WISH} /> })}</p>
      <p>{rich('verify.meaning-proof', { strong, path: <Code text="/api/v1/proofs" /> })}</p>
      <p>{rich('verify.meaning-limits', { method: linkTo(PATHS.method) })}</p>
    </section>
  )
}

const WISH = 'Accept-Signature: sig=()'

/** A piece of code within a sentence; it reads from left to right in every language. */
const Code = ({ text }: { text: string }) => <code dir="ltr">{text}</code>

const KEYS_PATH = '/.well-known/http-message-signatures-directory'

/** Bytes before the 32 bytes of an Ed25519 key in DER. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

function pemOf({ x }: PublicKey): string {
  const der = Buffer.concat([SPKI, Buffer.from(x, 'base64url')])
  return `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----`
}

const noteKeyText = ({ name, x }: WitnessKey, type: number): string =>
  verifierKey({ name, type, publicKey: Buffer.from(x, 'base64url') })

const logCommand = (home: string, key: WitnessKey): string =>
  `corridor log verify --url ${home} --key '${noteKeyText(key, NOTE_ED25519)}'`

const OPENSSL = `openssl dgst -sha256 -binary body.json | base64
base64 -d signature.txt > signature.bin
openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in base.txt -sigfile signature.bin`

/** The lines that are signed, with a note where a value of the response goes. */
const baseText = ({ say }: Words): string =>
  `"@method";req: GET
"@target-uri";req: (${say('verify.base-url')})
"@status": 200
"content-digest": (${say('verify.base-header', { name: 'Content-Digest' })})
"date": (${say('verify.base-header', { name: 'Date' })})
"@signature-params": (${say('verify.base-input', { name: 'Signature-Input', start: '"sig="' })})`

type ByHandProps = Published & { readonly home: string }

/** The way to check a response or the log without this page. */
const ByHand = (props: ByHandProps) => (
  <section class="stack-tight" aria-labelledby="by-hand">
    <h2 id="by-hand">{useWords().say('verify.by-hand')}</h2>
    <ResponseByHand {...props} />
    <LogByHand {...props} />
  </section>
)

function ResponseByHand({ keys }: ByHandProps) {
  const { words, say, rich } = useWords()
  return (
    <>
      <p>
        {rich('verify.save', {
          body: <Code text="body.json" />,
          header: <Code text="Signature" />,
          signature: <Code text="signature.txt" />,
          key: <Code text="key.pem" />,
          base: <Code text="base.txt" />,
        })}
      </p>
      <CopyBox id="verify-base" label={say('verify.lines')} text={baseText(words)} />
      <p>{rich('verify.run', { header: <Code text="Content-Digest" /> })}</p>
      <CopyBox id="verify-openssl" label={say('verify.commands')} text={OPENSSL} />
      {keys.map((key, i) => (
        <CopyBox key={key.kid} id={`verify-key-${i}`} label={say('verify.key')} text={pemOf(key)} />
      ))}
      <p>
        {rich('verify.keys', {
          path: <Code text={KEYS_PATH} />,
          parameter: <Code text="keyid" />,
        })}
      </p>
    </>
  )
}

function LogByHand({ keys, origin, witnesses, home }: ByHandProps) {
  const { say } = useWords()
  if (origin === null) return <p>{say('verify.log-empty')}</p>
  return (
    <>
      <p>{say('verify.log')}</p>
      {keys.map(({ kid, x }, i) => (
        <CopyBox
          key={kid}
          id={`verify-log-${i}`}
          label={say('verify.command')}
          text={logCommand(home, { name: origin, x })}
        />
      ))}
      {witnesses.length > 0 && <p>{say('verify.witnesses')}</p>}
      {witnesses.map((key, i) => (
        <CopyBox
          key={key.x}
          id={`verify-witness-${i}`}
          label={say('verify.key')}
          text={noteKeyText(key, COSIGNATURE_ED25519)}
        />
      ))}
    </>
  )
}
