import { CopyBox } from '~/portal/copy-box.tsx'
import { useWords } from '~/portal/words/spoken.tsx'

const EXAMPLES = [
  { path: '/convert?from=GBP&to=KES&amount=100', name: 'convert' },
  { path: '/rates?from=USD&to=NGN', name: 'rates' },
  { path: '/fetch-one?from=EUR&to=XOF', name: 'fetch-one' },
  { path: '/corridors', name: 'corridors' },
  { path: '/admin/usage', name: 'usage' },
] as const

type Props = {
  home: string
  /** The id of the element that shows a key just made, if there is one. */
  keyFrom?: string
}

/** Calls the API from the page. No field has a name, so that no form and no URL carries the key. */
export function TryIt({ home, keyFrom }: Props) {
  const { say, rich } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="try-it-title">
      <h2 id="try-it-title">{say('try-it.title')}</h2>
      <Asking home={home} {...(keyFrom && { keyFrom })} />
      <p class="muted small">
        {rich('try-it.shell', { code: <code>export CORRIDOR_KEY=your-key</code> })}
      </p>
      <CopyBox
        id="try-curl"
        label={say('try-it.call')}
        text={`curl -H "X-API-Key: $CORRIDOR_KEY" '${home}/api/v1${EXAMPLES[0].path}'`}
      />
    </section>
  )
}

function Asking({ home, keyFrom }: Props) {
  const { say } = useWords()
  return (
    <div
      class="stack-tight"
      data-try-it={home}
      data-key-from={keyFrom}
      data-no-question={say('try-it.no-question')}
      data-asking={say('try-it.asking')}
      data-unreachable={say('try-it.unreachable')}
      data-left={say('try-it.left', { left: '{left}', limit: '{limit}' })}
      data-cut={say('try-it.cut')}
      hidden
    >
      <div class="form-row try-form">
        <div class="field">
          <label for="try-key">{say('try-it.key')}</label>
          <input id="try-key" type="password" autocomplete="off" spellcheck={false} />
        </div>
        <Question />
        <button id="try-ask" type="button" class="button">
          {say('try-it.ask')}
        </button>
      </div>
      <p class="muted small">{say('try-it.stays')}</p>
      <p id="try-status" role="status" />
      <section
        id="try-answer"
        class="copy-text try-answer"
        aria-label={say('try-it.answer')}
        dir="ltr"
        hidden
      >
        <pre />
      </section>
    </div>
  )
}

function Question() {
  const { say } = useWords()
  return (
    <div class="field">
      <label for="try-path">{say('try-it.question')}</label>
      <input
        id="try-path"
        list="try-examples"
        value={EXAMPLES[0].path}
        autocomplete="off"
        spellcheck={false}
        dir="ltr"
      />
      <datalist id="try-examples">
        {EXAMPLES.map(({ path, name }) => (
          <option key={path} value={path}>
            {say(`try-it.${name}`)}
          </option>
        ))}
      </datalist>
    </div>
  )
}
