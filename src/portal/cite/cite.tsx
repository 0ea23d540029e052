/** @jsxImportSource preact */
import type { Freshness } from '~/domain/freshness.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { prefixOf } from '~/portal/words/language.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import { KNOWN_AT } from './known-page.tsx'

type Props = {
  readonly title: string
  /** The sentence with the figure that the page begins with; null where there is none. */
  readonly figure: string | null
  /** The address of the service. */
  readonly base: string
  /** The path of the page with its question. */
  readonly href: string
  readonly freshness: Freshness
}

/** A citation with an address that shows these prices for good, as text and as BibTeX. */
export function Cite({ title, figure, base, href, freshness }: Props) {
  const { language, say, momentText } = useWords()
  const knownMs = Math.min(freshness.cutoffMs, freshness.nowMs)
  const at = new Date(knownMs).toISOString()
  const sign = href.includes('?') ? '&' : '?'
  const url = `${base}${prefixOf(language)}${href}${sign}${KNOWN_AT}=${at}`
  const said = figure === null ? '' : `${figure} `
  const text = say('cite.text', { title, figure: said, time: momentText(knownMs), url })
  return (
    <details>
      <summary>{say('cite.title')}</summary>
      <div class="details-body stack-tight">
        <p>{say('cite.lead')}</p>
        <CopyBox id="cite" label={say('cite.title')} text={text} isProse />
        <CopyBox id="bibtex" label="BibTeX" text={bibtexOf({ title, at, url })} />
      </div>
    </details>
  )
}

function bibtexOf({ title, at, url }: { title: string; at: string; url: string }): string {
  const fields = {
    author: '{Corridor}',
    title: title.replace(/[{}\\]/g, ''),
    year: at.slice(0, 4),
    note: `Known at ${at}`,
    url,
  }
  const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}},`)
  return [`@misc{corridor${at.replace(/\D/g, '').slice(0, 12)},`, ...lines, '}'].join('\n')
}
