/** @jsxImportSource preact */
import { useWords } from '~/portal/words/spoken.tsx'
import { ORDERS } from './order.ts'
import { pairHref } from './path.ts'
import type { SendQuery } from './query.ts'

/** The orders of a pair's prices, as links that ask everything else again. */
export function OrderLinks({ query }: { query: SendQuery }) {
  const { say } = useWords()
  return (
    <nav aria-labelledby="order-title">
      <span id="order-title" class="muted small">
        {say('order.title')}
      </span>
      <ul class="tabs">
        {ORDERS.map((order) => (
          <li key={order}>
            <a
              href={pairHref({ ...query, order })}
              aria-current={order === query.order ? 'true' : undefined}
            >
              {say(`order.${order}`)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
