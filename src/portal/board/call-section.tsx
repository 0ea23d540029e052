/** @jsxImportSource preact */
import { CopyBox } from '~/portal/copy-box.tsx'
import { PATHS } from '~/portal/paths.ts'
import { periodInterval, windowParameters } from './chart-period.ts'
import { goalParameter } from './path.ts'
import type { BoardQuestion } from './query.ts'

type Props = {
  readonly question: BoardQuestion
  /** The address of the API, such as `https://rates.example/api/v1`. */
  readonly apiUrl: string
  readonly nowMs: number
  /** How many requests a new account has a day; null if nobody can sign up. */
  readonly dailyUnits: number | null
}

/** The API calls for the page shown; they take the caller's key from `CORRIDOR_KEY`. */
export function CallSection({ question, apiUrl, nowMs, dailyUnits }: Props) {
  return (
    <section class="stack-tight" aria-labelledby="calls-title">
      <div>
        <h2 id="calls-title">Get these figures from the API</h2>
        <p class="muted small">
          Give your shell your key once with <code>export CORRIDOR_KEY=your-key</code>; then these
          calls work as pasted. <a href="/docs">See every endpoint</a>.
        </p>
        {dailyUnits !== null && (
          <p class="muted small">
            No key yet? <a href={PATHS.signUp}>Get one free</a>: {dailyUnits} calls a day.
          </p>
        )}
      </div>
      <CopyBox id="call-providers" label="the call for the providers" text={convertCall()} />
      <CopyBox id="call-chart" label="the call for the chart" text={seriesCall()} />
    </section>
  )

  function convertCall(): string {
    const { from, to, goal } = question
    return curl(`/convert?from=${from}&to=${to}&${goalParameter(goal).join('=')}`)
  }

  function seriesCall(): string {
    const { from, to, period } = question
    const window = `interval=${periodInterval(period)}&${windowParameters(period, nowMs)}`
    return curl(`/time-series?from=${from}&to=${to}&${window}`)
  }

  function curl(path: string): string {
    return `curl -s -H "X-API-Key: $CORRIDOR_KEY" '${apiUrl}${path}'`
  }
}
