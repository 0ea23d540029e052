/** @jsxImportSource preact */
import { Seen } from './moment.tsx'
import { useWords } from './words/spoken.tsx'

type Props = { readonly ms: number; readonly nowMs: number; readonly isStale: boolean }

/** The time when a price was seen, and whether it is so old that it may no longer hold. */
export const PriceAge = ({ ms, nowMs, isStale }: Props) => (
  <div>
    <Seen ms={ms} nowMs={nowMs} />{' '}
    {isStale && <span class="tag tag-warn">{useWords().say('price.old')}</span>}
  </div>
)
