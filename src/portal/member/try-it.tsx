/** @jsxImportSource preact */
import { CopyBox } from '~/portal/copy-box.tsx'

const EXAMPLES = [
  { path: '/convert?from=GBP&to=KES&amount=100', text: 'What 100 pounds come to in Kenya' },
  { path: '/rates?from=USD&to=NGN', text: 'Every quote for dollars into naira' },
  { path: '/fetch-one?from=EUR&to=XOF', text: 'The mid and the best rate of a pair' },
  { path: '/corridors', text: 'Every corridor' },
  { path: '/admin/usage', text: 'What is left of today (free)' },
] as const

type Props = {
  home: string
  /** The id of the element that shows a key just made, if there is one. */
  keyFrom?: string
}

/**
 * Asks the API from the page. No field here has a name, so that no form and no URL can ever carry
 * the key; the script `try-it` sends it as a header, to this site alone.
 */
export function TryIt({ home, keyFrom }: Props) {
  return (
    <section class="stack-tight" aria-labelledby="try-it-title">
      <h2 id="try-it-title">Try it</h2>
      <div class="stack-tight" data-try-it={home} data-key-from={keyFrom} hidden>
        <div class="form-row try-form">
          <div class="field">
            <label for="try-key">Your key</label>
            <input id="try-key" type="password" autocomplete="off" spellcheck={false} />
          </div>
          <div class="field">
            <label for="try-path">Question</label>
            <input
              id="try-path"
              list="try-examples"
              value={EXAMPLES[0].path}
              autocomplete="off"
              spellcheck={false}
            />
            <datalist id="try-examples">
              {EXAMPLES.map(({ path, text }) => (
                <option key={path} value={path}>
                  {text}
                </option>
              ))}
            </datalist>
          </div>
          <button id="try-ask" type="button" class="button">
            Ask
          </button>
        </div>
        <p class="muted small">
          The key stays in this page: it is sent as a header to this site and kept nowhere.
        </p>
        <p id="try-status" role="status" />
        <section id="try-answer" class="copy-text try-answer" aria-label="The answer" hidden>
          <pre />
        </section>
      </div>
      <p class="muted small">
        The same from a command line, after <code>export CORRIDOR_KEY=your-key</code>:
      </p>
      <CopyBox
        id="try-curl"
        label="the call"
        text={`curl -H "X-API-Key: $CORRIDOR_KEY" '${home}/api/v1${EXAMPLES[0].path}'`}
      />
    </section>
  )
}
