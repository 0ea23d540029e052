/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import type { Route } from '~/http/route.ts'
import { HELD_MS } from './board/chart-period.ts'
import { KINDS } from './board/kinds.ts'
import { spanText } from './format.ts'
import type { Credit } from './frame.tsx'
import type { Page } from './page.tsx'
import { PATHS } from './paths.ts'
import { type PublicAsk, type PublicDeps, publicPage } from './public-page.tsx'

/** The page that tells how every figure of the other pages comes about. */
export const methodRoutes = (deps: PublicDeps): Route[] => [
  {
    method: 'GET',
    path: PATHS.method,
    handle: publicPage(deps, PATHS.method, (ask) => methodPage(deps, ask)),
  },
]

const methodPage = ({ pages, ageLimits }: PublicDeps, _ask: PublicAsk): Page => ({
  title: 'How we reckon',
  path: PATHS.method,
  description: 'What each figure means, how it is worked out, and where the data comes from.',
  body: (
    <article class="stack prose">
      <div class="stack-tight">
        <h1>How we reckon</h1>
        <p class="lead">
          What each figure on these pages means, how it is worked out, and where the data comes
          from.
        </p>
      </div>
      <Best />
      <Arrives />
      <Mid midMaxAgeMs={ageLimits.midMaxAgeMs} />
      <Kinds />
      <Chart />
      <Sources credits={pages.credits} />
    </article>
  ),
})

const Part = ({ id, title, children }: { id: string; title: string; children: Children }) => (
  <section class="stack-tight" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

type Children = ComponentChildren

const Best = () => (
  <Part id="best" title="What “best” means">
    <p>
      The best price is the one at which the recipient gets most for your amount, once the fee is
      paid. Only prices that money can be sent at take part: retail, peer to peer and interbank.
      Official and parallel rates are shown beside them and are never the best. Between equal prices
      the newer one comes first.
    </p>
    <p>Nobody pays for a place in the list.</p>
  </Part>
)

const Arrives = () => (
  <Part id="arrives" title="What the recipient gets">
    <p>The amount you send times the provider's rate, less its fee.</p>
    <ul class="bullets">
      <li>A fee in the currency you send is taken at the provider's own rate.</li>
      <li>A fee in the currency that arrives is taken off as it is.</li>
      <li>
        A fee in a third currency is converted at the mid-market rate. If there is none, nobody
        knows what arrives, and the page says so.
      </li>
      <li>
        A fee that the provider does not state is unknown, which is not the same as no fee. The
        amount is then shown before any fee.
      </li>
    </ul>
  </Part>
)

const Mid = ({ midMaxAgeMs }: { midMaxAgeMs: number }) => (
  <Part id="mid" title="The mid-market rate">
    <p>
      The rate halfway between what currencies are bought and sold at, before anybody's margin. It
      comes from reference feeds, not from the providers compared here. Each currency has its newest
      rate against the US dollar; the mid of a pair is one divided by the other, and it is as old as
      the older of the two. A rate of more than {spanText(midMaxAgeMs)} is too old to compare with,
      so no mid is shown then.
    </p>
  </Part>
)

const Kinds = () => (
  <Part id="kinds" title="Kinds of price">
    <dl class="terms">
      {Object.values(KINDS).map(({ title, note }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{note}</dd>
        </div>
      ))}
    </dl>
  </Part>
)

const Chart = () => (
  <Part id="chart" title="The chart">
    <p>
      It draws what held. Each step is one day, or one hour over the shortest period: the mid known
      at its end, and the best rate that stood then, before fees. A price stands until its provider
      gives another, and for {spanText(HELD_MS)} at most; where none stands, no line is drawn. The
      same figures are there as a table and as a file.
    </p>
  </Part>
)

const Sources = ({ credits }: { credits: readonly Credit[] }) => (
  <Part id="sources" title="Sources and licences">
    {credits.length > 0 ? (
      <ul class="bullets">
        {credits.map(({ text, url, licence }) => (
          <li key={text}>
            {url ? <a href={url}>{text}</a> : text}
            {licence && `. Licence: ${licence}`}
          </li>
        ))}
      </ul>
    ) : (
      <p>The prices were entered by whoever runs this service.</p>
    )}
  </Part>
)
