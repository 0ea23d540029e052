import { useWords } from '~/portal/words/spoken.tsx'

const iso = (ms: number): string => new Date(ms).toISOString()

/** A time in a form for people and for machines. */
export const Moment = ({ ms }: { ms: number }) => (
  <time dateTime={iso(ms)}>{useWords().momentText(ms)}</time>
)

/** The age of something that was seen; opening it, by finger or key too, shows the time itself. */
export const Seen = ({ ms, nowMs }: { ms: number; nowMs: number }) => (
  <details class="seen">
    <summary>{useWords().agoText(nowMs - ms)}</summary>
    <Moment ms={ms} />
  </details>
)

type Props = { readonly ms: number; readonly nowMs: number; readonly isStale: boolean }

/** The time when a price was seen, and whether it is so old that it may no longer hold. */
export const PriceAge = ({ ms, nowMs, isStale }: Props) => (
  <div>
    <Seen ms={ms} nowMs={nowMs} />{' '}
    {isStale && <span class="tag tag-warn">{useWords().say('price.old')}</span>}
  </div>
)
