/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'

/** A frame in which a table that is too wide scrolls, with the keyboard too. */
export const TableFrame = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
  <section class="table-frame" tabIndex={0} aria-label={label}>
    {children}
  </section>
)
