import { CopyBox } from '~/portal/copy-box.tsx'
import { PATHS } from '~/portal/paths.ts'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'
import { periodInterval, windowParameters } from './chart-period.ts'
import { goalParameter } from './path.ts'
import type { BoardQuestion } from './query.ts'

type Props = {
  readonly question: BoardQuestion
  /** The address of the API, such as `https://rates.example/api/v1`. */
  readonly apiUrl: string
  readonly nowMs: number
  /** The number of requests that a new account has a day; null without sign-up. */
  readonly dailyUnits: number | null
}

/** The API calls for the page shown; they take the caller's key from `CORRIDOR_KEY`. */
export function CallSection({ question, apiUrl, nowMs, dailyUnits }: Props) {
  const { say, rich } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="calls-title">
      <div>
        <h2 id="calls-title">{say('calls.title')}</h2>
        <p class="muted small">
          {rich('calls.lead', {
            code: <code>export CORRIDOR_KEY=your-key</code>,
            link: linkTo(PATHS.reference),
          })}
        </p>
        {dailyUnits !== null && (
          <p class="muted small">
            {rich('calls.no-key', { link: linkTo(PATHS.signUp), calls: dailyUnits })}
          </p>
        )}
      </div>
      <CopyBox id="call-providers" label={say('calls.providers')} text={convertCall()} />
      <CopyBox id="call-chart" label={say('calls.chart')} text={seriesCall()} />
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
