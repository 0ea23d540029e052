/** @jsxImportSource preact */
import { DAY_MS } from '~/domain/duration.ts'
import { Seen } from './moment.tsx'

/** The age from which prices are marked, since they may no longer be offered. */
const OLD_PRICE_MS = 7 * DAY_MS

type Props = { readonly ms: number; readonly nowMs: number }

export const isOldPrice = ({ ms, nowMs }: Props): boolean => nowMs - ms > OLD_PRICE_MS

/** When a price was seen, and whether that is long ago. */
export const PriceAge = (props: Props) => (
  <div>
    <Seen {...props} /> {isOldPrice(props) && <span class="tag tag-warn">old</span>}
  </div>
)
