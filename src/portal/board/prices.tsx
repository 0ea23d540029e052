import type { Currency } from '~/domain/currency.ts'
import { KIND_ORDER, RATE_TYPES } from '~/domain/provider.ts'
import { PATHS } from '~/portal/paths.ts'
import { rateDecimals } from '~/portal/words/format.ts'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'
import type { Conversion, Conversions } from '~/service/convert.ts'
import { widestCost } from './cost-bar.tsx'
import { hasPlace, ProviderTable, type Shared } from './provider-table.tsx'

const KINDS_IN_ORDER = RATE_TYPES.toSorted((a, b) => KIND_ORDER[a] - KIND_ORDER[b])

type Props = {
  readonly conversions: Conversions
  readonly from: Currency
  readonly to: Currency
  readonly nowMs: number
  /** Says whether the page is about two countries. */
  readonly isPair?: boolean
}

/** The current prices by kind, and below them, folded, the older ones. */
export function Prices({ conversions, isPair = false, ...pair }: Props) {
  const { say, rich } = useWords()
  const { entries, bestCurrent, mid, recipientGets } = conversions
  const rates = entries.map(({ ranked }) => ranked.quote.rate)
  const decimals = rateDecimals(mid ? [...rates, mid.rate] : rates)
  const current = entries.filter(({ ranked }) => !ranked.isStale)
  const shared = {
    ...pair,
    best: bestCurrent,
    mid,
    decimals,
    isToArrive: recipientGets !== null,
    isPair,
    widestPct: isPair ? widestCost(current.filter(hasPlace)) : null,
  }
  return (
    <>
      {current.length > 0 && (
        <div class="stack">
          <Kinds entries={current} {...shared} />
          <p class="muted small">
            {shared.widestPct !== null && `${say('cost.bar-legend')} `}
            {rich('prices.cost', { link: linkTo(`${PATHS.method}#cost`) })}
          </p>
        </div>
      )}
      <Older entries={entries.filter(({ ranked }) => ranked.isStale)} {...shared} />
    </>
  )
}

type ListProps = Shared & { readonly entries: readonly Conversion[] }

function Kinds({ entries, isOlder = false, ...shared }: ListProps & { isOlder?: boolean }) {
  return KINDS_IN_ORDER.map((kind) => {
    const own = entries.filter(({ ranked }) => ranked.quote.rateType === kind)
    if (own.length === 0) return null
    const placed = [...own.filter(hasPlace), ...own.filter((entry) => !hasPlace(entry))]
    return <ProviderTable key={kind} {...{ kind, isOlder, ...shared }} entries={placed} />
  })
}

/** The prices that may no longer be available; open if no others can be sent at. */
function Older({ entries, ...shared }: ListProps) {
  const { say, spansText } = useWords()
  if (entries.length === 0) return null
  const ages = entries.map(({ ranked }) => shared.nowMs - ranked.quote.atMs)
  return (
    <details class="older" open={shared.best === null}>
      <summary>
        {say('prices.older', { span: spansText(Math.min(...ages), Math.max(...ages)) })}
      </summary>
      <div class="stack details-body">
        <p class="muted small">{say('prices.older-why')}</p>
        <Kinds isOlder entries={entries} {...shared} />
      </div>
    </details>
  )
}
