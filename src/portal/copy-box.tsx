/** @jsxImportSource preact */
import { useWords } from './words/spoken.tsx'

/**
 * A text to take along, with a button that copies it where the page loads the script `copy`.
 *
 * `id` is unique in the page; `label` says what is copied: "the call", "your key".
 */
export function CopyBox({ id, label, text }: { id: string; label: string; text: string }) {
  const { say } = useWords()
  return (
    <div class="copy-box">
      <pre id={id}>
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
