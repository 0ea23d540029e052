/** @jsxImportSource preact */
/**
 * A text to take along, with a button that copies it where the page loads the script `copy`.
 *
 * `id` is unique in the page; `label` says what is copied: "the call", "your key".
 */
export function CopyBox({ id, label, text }: { id: string; label: string; text: string }) {
  return (
    <div class="copy-box">
      <pre id={id}>
        <code>{text}</code>
      </pre>
      <button type="button" class="button button-quiet" data-copy={id} hidden>
        Copy<span class="visually-hidden"> {label}</span>
      </button>
      <span class="copy-result" role="status" data-copied={id} />
    </div>
  )
}
