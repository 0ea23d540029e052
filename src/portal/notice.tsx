import type { ComponentChildren } from 'preact'

type NoticeKind = 'plain' | 'good' | 'warn' | 'bad'

type Props = { kind: NoticeKind; title?: string; children?: ComponentChildren }

/** Something to know before reading on; a screen reader reads `bad` ones at once. */
export function Notice({ kind, title, children }: Props) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
      {title && <p class="notice-title">{title}</p>}
      {children && <div>{children}</div>}
    </div>
  )
}
