/** @jsxImportSource preact */
import type { DoubtfulPeg } from '~/domain/price/doubtful-peg.ts'
import { percentText, plainNumberText, rateText } from '~/portal/format.ts'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'

const BPS_PER_PERCENT = 100

/** Tells that feeds contradict a peg, and what an operator can do about it. */
export function DoubtfulPegNotice({ doubt }: { doubt: DoubtfulPeg }) {
  const { currency, peg, saidRate, offPct, source, atMs } = doubt
  const off = percentText(offPct * BPS_PER_PERCENT, true)
  return (
    <Notice kind="warn" title={`The peg of ${currency} is in doubt`}>
      It is pegged at {plainNumberText(peg.rate)} for 1 {peg.to}, and {source} said{' '}
      {rateText(saidRate)} on <Moment ms={atMs} />: {off} off. The peg stays in use until the
      catalogue takes it away.
    </Notice>
  )
}
