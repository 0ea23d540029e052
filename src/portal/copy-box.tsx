import { useWords } from './words/spoken.tsx'

type Props = {
  readonly id: string
  readonly label: string
  readonly text: string
  /** Says whether the text is a sentence, in the direction of the page, and not code. */
  readonly isProse?: boolean
}

/** A text to copy with a button; `id` is unique in the page, and `label` names the text. */
export function CopyBox({ id, label, text, isProse }: Props) {
  const { say } = useWords()
  return (
    <div class="copy-box">
      <pre id={id} class={isProse ? 'quoted' : undefined}>
        <code>{text}</code>
      </pre>
      <button type="button" class="button button-quiet" data-copy={id} hidden>
        {say('copy.copy')}
        <span class="visually-hidden"> {label}</span>
      </button>
      <span
        class="copy-result"
        role="status"
        data-copied={id}
        data-done={say('copy.done')}
        data-failed={say('copy.failed')}
      />
    </div>
  )
}
