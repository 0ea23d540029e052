import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { useContext } from 'preact/hooks'
import type { Freshness } from '~/domain/freshness.ts'
import type { View } from '~/memory/view.ts'
import { sourceText } from '~/portal/board/summary.tsx'
import { CopyBox } from '~/portal/copy-box.tsx'
import { sendLead } from '~/portal/send/known.ts'
import { prefixOf } from '~/portal/words/language.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import type { Conversions } from '~/service/convert.ts'
import { presentConvert } from '~/wire/convert.ts'
import { IsOfThen, KNOWN_AT } from './known-page.tsx'

type Props = {
  readonly title: string
  readonly conversions: Conversions
  readonly view: View
  readonly base: string
  readonly href: string
}

/**
 * A citation with an address that shows these prices for good, as text and as BibTeX.
 *
 * Only the page at that address has it, so the number is always the one that the address shows. The
 * current page leads there, since it may lack a commit of this very millisecond.
 */
export function Cite({ title, conversions, view, base, href }: Props) {
  const { words, language, say, momentText } = useWords()
  const { nowMs } = view.freshness
  const isOfThen = useContext(IsOfThen)
  const at = new Date(nowMs).toISOString()
  const path = `${href}${href.includes('?') ? '&' : '?'}${KNOWN_AT}=${at}`
  if (conversions.entries.length === 0) return null
  if (!isOfThen)
    return (
      <p>
        <a href={`${path}#cite`} rel="nofollow">
          {say('cite.title')}
        </a>
      </p>
    )
  const figure = sendLead(words, { conversions, view })
  const sources = sourcesText(words, conversions)
  const digest = pricesDigest(conversions, view.freshness)
  const url = `${base}${prefixOf(language)}${path}`
  const said = [figure, sources].filter((text) => text !== null).map((text) => `${text} `)
  const text = say('cite.text', {
    ...{ title, digest, url },
    figure: said.join(''),
    time: momentText(nowMs),
  })
  return (
    <details open>
      <summary>{say('cite.title')}</summary>
      <div class="details-body stack-tight">
        <p>{say('cite.lead')}</p>
        <CopyBox id="cite" label={say('cite.title')} text={text} isProse />
        <CopyBox
          id="bibtex"
          label="BibTeX"
          text={bibtexOf({ title, at, url, note: [...said, `SHA-256 ${digest}`].join('') })}
        />
      </div>
    </details>
  )
}

/** The sources of the number; null without one. */
function sourcesText(words: Words, { bestCurrent: best }: Conversions): string | null {
  if (!best) return null
  const { say, momentText, listText } = words
  const { quote, provider, midAtQuote: mid } = best.ranked
  const price = say('cite.price', { provider: provider.name, time: momentText(quote.atMs) })
  const against =
    mid && say('cite.mid', { source: sourceText(words, mid.source), time: momentText(mid.atMs) })
  return say('cite.sources', { sources: listText([price, ...(against ? [against] : [])]) })
}

/** SHA-256 of `providers` of `/convert` for an hourly key at that time, as canonical JSON. */
const pricesDigest = (conversions: Conversions, freshness: Freshness): string =>
  hash('sha256', canonicalize(presentConvert(conversions, freshness).providers)!)

type Cited = Record<'title' | 'at' | 'url' | 'note', string>

function bibtexOf({ title, at, url, note }: Cited): string {
  const fields = {
    author: '{Corridor}',
    title: plain(title),
    year: at.slice(0, 4),
    note: `Known at ${at}. ${plain(note)}`,
    url,
  }
  const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}},`)
  return [`@misc{corridor${at.replace(/\D/g, '').slice(0, 12)},`, ...lines, '}'].join('\n')
}

/** A string without what BibTeX or LaTeX takes for a command. */
const plain = (text: string): string =>
  text.replace(/[{}\\~^]/g, '').replace(/[%&$#_]/g, (sign) => `\\${sign}`)
