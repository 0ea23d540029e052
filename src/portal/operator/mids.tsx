import type { HeldBack } from '~/domain/feed/verdict.ts'
import type { Reference } from '~/domain/mid.ts'
import type { DoubtfulPeg } from '~/domain/price/doubtful-peg.ts'
import { roundAmount } from '~/domain/round.ts'
import { Moment, Seen } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { plainNumberText } from '~/portal/words/format.ts'
import { ENGLISH } from '~/portal/words/words.ts'

export type Mid = { readonly currency: string; readonly reference: Reference | null }

type Props = { mids: readonly Mid[]; held: readonly HeldBack[]; nowMs: number }

export function Mids({ mids, held, nowMs }: Props) {
  const missing = mids.filter(({ reference }) => !reference).map(({ currency }) => currency)
  const known = mids.flatMap(({ reference }) => (reference ? [reference] : []))
  return (
    <details>
      <summary>
        Mids of {known.length} of {mids.length} currencies
      </summary>
      <div class="stack-tight details-body">
        {missing.length > 0 && <p class="muted">None for {missing.join(', ')}.</p>}
        {known.length > 0 && (
          <RowTable
            label="Mids"
            columns={columns({ held, nowMs })}
            rows={known}
            keyOf={({ currency }) => currency}
          />
        )}
      </div>
    </details>
  )
}

const columns = ({ held, nowMs }: Omit<Props, 'mids'>): Column<Reference>[] => [
  {
    head: 'Currency',
    cell: ({ currency }) => (
      <>
        {currency}{' '}
        {held.some((one) => one.currency === currency) && (
          <span class="tag tag-warn">held back</span>
        )}
      </>
    ),
  },
  { head: 'Per US dollar', class: 'number', cell: ({ perUsd }) => roundAmount(perUsd) },
  { head: 'Source', cell: ({ source }) => source },
  {
    head: 'Basis',
    cell: ({ basis = 'single', dispersionBps = null }) => (
      <>
        <span class={basis === 'disputed' ? 'tag tag-warn' : undefined}>{basis}</span>
        {dispersionBps !== null && ` within ${dispersionBps.toFixed(1)} bps`}
      </>
    ),
  },
  { head: 'Seen', cell: ({ atMs }) => <Seen ms={atMs} nowMs={nowMs} /> },
]

type DoubtsProps = {
  readonly held: readonly HeldBack[]
  readonly doubtfulPegs: readonly DoubtfulPeg[]
}

/** Doubtful values of feeds, or of a peg. */
export const Doubts = ({ held, doubtfulPegs }: DoubtsProps) => (
  <>
    {held.map(({ currency, source, sinceMs }) => (
      <Notice key={currency} kind="warn">
        {currency} from {source} moved too far to be believed and is held back since{' '}
        <Moment ms={sinceMs} />.
      </Notice>
    ))}
    {doubtfulPegs.map((doubt) => (
      <DoubtfulPegNotice key={doubt.currency} doubt={doubt} />
    ))}
  </>
)

/** Reports that feeds contradict a peg, and what an operator can do about it. */
function DoubtfulPegNotice({ doubt }: { doubt: DoubtfulPeg }) {
  const { currency, peg, saidRate, offPct, source, atMs } = doubt
  const off = ENGLISH.percentText(offPct, true)
  return (
    <Notice kind="warn" title={`The peg of ${currency} is in doubt`}>
      It is pegged at {plainNumberText(peg.rate)} for 1 {peg.to}, and {source} said{' '}
      {ENGLISH.rateText(saidRate)} on <Moment ms={atMs} />: {off} off. The peg stays in use until
      the catalogue takes it away.
    </Notice>
  )
}
