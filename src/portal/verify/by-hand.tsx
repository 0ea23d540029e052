/** @jsxImportSource preact */
import { verifierKey } from '~/evidence/note.ts'
import { COSIGNATURE_ED25519, NOTE_ED25519 } from '~/evidence/note-text.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import type { PublicKey, Published, WitnessKey } from './finding.ts'

/** A piece of code within a sentence; it reads from left to right in every language. */
export const Code = ({ text }: { text: string }) => <code dir="ltr">{text}</code>

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

type Props = Published & { readonly home: string }

/** The way to check a response or the log without this page. */
export const ByHand = (props: Props) => (
  <section class="stack-tight" aria-labelledby="by-hand">
    <h2 id="by-hand">{useWords().say('verify.by-hand')}</h2>
    <ResponseByHand {...props} />
    <LogByHand {...props} />
  </section>
)

function ResponseByHand({ keys }: Props) {
  const words = useWords()
  const { say, rich } = words
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

function LogByHand({ keys, origin, witnesses, home }: Props) {
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
