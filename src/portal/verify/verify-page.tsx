/** @jsxImportSource preact */
import { checkpointOf } from '~/evidence/checkpoint.ts'
import { verifierKey } from '~/evidence/note.ts'
import { NOTE_ED25519, noteOf } from '~/evidence/note-text.ts'
import type { AnswerSigner } from '~/http/evidence/signing.ts'
import type { Route } from '~/http/route.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type PublicAsk, type PublicDeps, publicPage } from '~/portal/public-page.tsx'
import type { LogReader } from '~/service/evidence/log.ts'
import type { Known, PublicKey } from './finding.ts'

export type VerifyDeps = PublicDeps & {
  readonly signer: Pick<AnswerSigner, 'jwks'>
  readonly evidence: Pick<LogReader, 'head'>
}

/** The page that checks a signed answer or a proof in the reader's browser. */
export const verifyRoutes = (deps: VerifyDeps): Route[] => [
  {
    method: 'GET',
    path: PATHS.verify,
    handle: publicPage(deps, PATHS.verify, async ({ url }: PublicAsk) => {
      const [keys, head] = await Promise.all([deps.signer.jwks(), deps.evidence.head()])
      const origin = head && checkpointOf(noteOf(head.note)!.text)!.origin
      const home = deps.publicUrl ?? url.origin
      return verifyPage({ keys: keys.map(({ kid, x }) => ({ kid, x: x! })), origin, home })
    }),
  },
]

const LEAD =
  'Somebody shows you a response of this service, or a proof that it recorded a price. Find out ' +
  'here whether it is genuine. Your browser does the check; what you paste is not sent anywhere.'

const verifyPage = (props: Known & { home: string }): Page => ({
  title: 'Check a response or a proof',
  path: PATHS.verify,
  description: LEAD,
  scripts: ['verify', 'copy'],
  body: (
    <article class="stack prose">
      <div class="stack-tight">
        <h1>Check a response or a proof</h1>
        <p class="lead">{LEAD}</p>
      </div>
      <VerifyForm keys={props.keys} origin={props.origin} />
      <section id="verify-result" class="stack-tight" role="status" aria-label="The outcome" />
      <Meaning />
      <ByHand {...props} />
    </article>
  ),
})

const VerifyForm = (known: Known) => (
  <>
    <noscript>
      <p>The check on this page needs JavaScript. Without it, check by hand as described below.</p>
    </noscript>
    <form class="stack-tight" data-verify={JSON.stringify(known)} hidden>
      <div class="field">
        <label for="verify-text">The response with its headers, or the proof</label>
        <textarea id="verify-text" rows={10} spellcheck={false} autocomplete="off" />
      </div>
      <div class="field">
        <label for="verify-file">Or a file with it, which copying cannot have changed</label>
        <input id="verify-file" type="file" />
      </div>
      <div class="field">
        <label for="verify-url">For a response: the address that was asked</label>
        <input id="verify-url" type="url" spellcheck={false} autocomplete="off" />
      </div>
      <button type="submit" class="button">
        Check
      </button>
    </form>
  </>
)

const Meaning = () => (
  <section class="stack-tight" aria-labelledby="meaning">
    <h2 id="meaning">What a check means</h2>
    <p>
      A <strong>signed response</strong> is like a letter with a seal that only this service can
      make. If the seal fits, the service said exactly this, to that question, at that time. Ask for
      one with the header <code>Accept-Signature: sig=()</code>.
    </p>
    <p>
      A <strong>proof</strong> shows that an entry, such as a price, is in the public log of the
      service: a list that can only grow. If anything in it were changed or removed later, the seal
      that the service put on the whole list would no longer fit. Each price has its proof at{' '}
      <code>/api/v1/proofs</code>.
    </p>
    <p>
      Neither shows that a price was right. How prices are checked is in{' '}
      <a href={PATHS.method}>How we calculate</a>. If you fear that this page itself was changed,
      check by hand, with a key that you got elsewhere.
    </p>
  </section>
)

/** Bytes before the 32 bytes of an Ed25519 key in DER. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

function pemOf({ x }: PublicKey): string {
  const der = Buffer.concat([SPKI, Buffer.from(x, 'base64url')])
  return `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----`
}

const logKeyOf = (name: string, { x }: PublicKey): string =>
  verifierKey({ name, type: NOTE_ED25519, publicKey: Buffer.from(x, 'base64url') })

const OPENSSL = `openssl dgst -sha256 -binary body.json | base64
base64 -d signature.txt > signature.bin
openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in base.txt -sigfile signature.bin`

const BASE = `"@method";req: GET
"@target-uri";req: (the address that was asked)
"@status": 200
"content-digest": (the header Content-Digest)
"date": (the header Date)
"@signature-params": (the header Signature-Input, after "sig=")`

const ByHand = ({ keys, origin, home }: Known & { home: string }) => (
  <section class="stack-tight" aria-labelledby="by-hand">
    <h2 id="by-hand">By hand</h2>
    <p>
      For a response: save its content as <code>body.json</code>, the text between the colons of the
      header <code>Signature</code> as <code>signature.txt</code>, the key as <code>key.pem</code>,
      and these lines, without a line break at the end, as <code>base.txt</code>:
    </p>
    <CopyBox id="verify-base" label="the lines" text={BASE} />
    <p>
      Then the first command has to print what <code>Content-Digest</code> says, and the last one
      has to succeed:
    </p>
    <CopyBox id="verify-openssl" label="the commands" text={OPENSSL} />
    {keys.map((key, i) => (
      <CopyBox key={key.kid} id={`verify-key-${i}`} label="the key" text={pemOf(key)} />
    ))}
    <p>
      The same keys are at <code>/.well-known/http-message-signatures-directory</code>, by the names
      that <code>keyid</code> gives.
    </p>
    {origin === null ? (
      <p>The log of this service has no entry yet.</p>
    ) : (
      <>
        <p>For the whole log, with the program of this service or any other for C2SP logs:</p>
        {keys.map((key, i) => (
          <CopyBox
            key={key.kid}
            id={`verify-log-${i}`}
            label="the command"
            text={`corridor log verify --url ${home} --key '${logKeyOf(origin, key)}'`}
          />
        ))}
      </>
    )}
  </section>
)
