import type { ConnectorRecord } from '~/domain/feed/connector.ts'
import type { FeedState } from '~/domain/feed/state.ts'
import type { Reference } from '~/domain/mid.ts'
import type { DoubtfulPeg } from '~/domain/price/doubtful-peg.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { DoubtfulMid } from '~/service/doubtful.ts'
import type { StaleBest } from '~/service/stale-bests.ts'
import type { Suspect } from '~/service/suspects.ts'
import { DoubtfulMids } from './doubtful-mids.tsx'
import { countText } from './list-pages.tsx'
import type { Mid } from './mids.tsx'
import { isSilent, partlySilentOf, type Sender, Senders, silentCount } from './senders.tsx'
import { StaleBests } from './stale-bests.tsx'
import { Connectors, Feeds, Sources, troubledOf } from './upstreams.tsx'
import { Work, type WorkFigures } from './work.tsx'

const PLACES = [
  { path: PATHS.operator, text: 'Data' },
  { path: PATHS.accounts, text: 'Accounts' },
  { path: PATHS.log, text: 'Changes' },
] as const

export const Places = ({ current }: { current: string }) => (
  <nav aria-label="Operator">
    <ul class="tabs">
      {PLACES.map(({ path, text }) => (
        <li key={path}>
          <a href={path} aria-current={path === current ? 'page' : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

type Props = {
  readonly nowMs: number
  readonly feeds: FeedState
  readonly sources: readonly SourceRecord[]
  readonly connectors: readonly ConnectorRecord[]
  /** The newest reference; null before the first. */
  readonly newest: Reference | null
  readonly isMidRecent: boolean
  readonly mids: readonly Mid[]
  readonly senders: readonly Sender[]
  /** Names of active providers that never sent anything. */
  readonly mute: readonly string[]
  readonly doubtfulPegs: readonly DoubtfulPeg[]
  readonly doubtfulMids: readonly DoubtfulMid[]
  readonly staleBests: readonly StaleBest[]
  readonly staleAfterMs: number | null
  readonly suspects: readonly Suspect[]
  readonly work: WorkFigures
  /** The parameters of the page's address, which say where its long lists begin. */
  readonly params: URLSearchParams
}

export const operatorPage = (props: Props): Page => ({
  title: 'Operator',
  path: PATHS.operator,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1>Operator</h1>
        <Places current={PATHS.operator} />
      </div>
      <Alarms {...props} />
      <Work {...props} />
      <Feeds {...props} />
      <Sources {...props} />
      <Connectors {...props} />
      <StaleBests {...props} />
      <Senders {...props} />
    </div>
  ),
})

function Alarms(props: Props) {
  const { senders, nowMs, isMidRecent, feeds, sources, doubtfulPegs, doubtfulMids } = props
  const silent = senders.filter(isSilent)
  const partly = partlySilentOf(senders, nowMs)
  const asked = [...feeds.feeds, ...props.connectors]
  const failing = asked.filter(({ isFailing }) => isFailing)
  const troubled = troubledOf(sources, nowMs)
  const upstreams = failing.length + troubled.length
  const alarms =
    silent.length + partly.length + upstreams + doubtfulPegs.length + doubtfulMids.length
  if (alarms === 0 && isMidRecent)
    return <Notice kind="good">Every feed responds and every provider sends as usual.</Notice>
  return (
    <div class="stack-tight">
      {!isMidRecent && (
        <Notice kind="bad">
          The newest mid is too old to be shown as recent, or there is none.
        </Notice>
      )}
      {failing.length > 0 && (
        <Notice kind="warn">Failing: {failing.map(({ id }) => id).join(', ')}.</Notice>
      )}
      {troubled.length > 0 && (
        <Notice kind="warn">
          Banks that fail, are late or state what is not believed: {troubled.join(', ')}.
        </Notice>
      )}
      {doubtfulPegs.length > 0 && (
        <Notice kind="warn">
          Feeds contradict the peg of {doubtfulPegs.map(({ currency }) => currency).join(', ')}; see
          below.
        </Notice>
      )}
      <DoubtfulMids mids={doubtfulMids} />
      {silent.length > 0 && (
        <Notice kind="warn" title={`${countText(silent.length, 'provider')} fell silent`}>
          Longer than is usual for each of them: {namesText(silent)}.
        </Notice>
      )}
      {partly.length > 0 && (
        <Notice kind="warn" title={`${countText(silentCount(partly), 'corridor')} fell silent`}>
          Their providers go on sending for others: {namesText(partly)}.
        </Notice>
      )}
    </div>
  )
}

const NAMES_MAX = 12

function namesText(senders: readonly Sender[]): string {
  const names = senders.slice(0, NAMES_MAX).map(({ name }) => name)
  const more = senders.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}
