/** Words that appear in English pages, and in no name of the sample. */
const WORDS = new RegExp(
  `\\b(prices?|fees?|seen|providers?|your|which|than|when|what|arrives|cheapest|mid-market|` +
    `sign (in|out)|password|days|hours|better|highest|choose|shown?|requests|today|revoke|` +
    `passkeys?|recovery|keys|account|nothing|asks|allowed)\\b`,
  'i',
)

/** Names of providers may begin with it. */
const THE = /\bthe\b/

/** The name of a survey, which has no translation. */
const SURVEY = ['Remittance Prices Worldwide', ''] as const

/** The first English word of a string; null for none. */
export function englishWordIn(text: string): string | null {
  const own = text.replaceAll(...SURVEY)
  return (WORDS.exec(own) ?? THE.exec(own))?.[0] ?? null
}

/** Attributes with words in them; a script shows those of `data-`. */
const LABELS =
  /^(aria-label$|alt$|title$|data-(?!key|copy|copied|try|passkey$|chart|submit|verify))/

/** The words of an attribute, without the keys of those that a script reads as JSON. */
const wordsIn = (value: string): string[] =>
  value.startsWith('{"')
    ? Object.values(JSON.parse(value)).map((one) => JSON.stringify(one))
    : [value]

/** An English word in a page of another language that is not marked as English. */
export function englishIn(html: string): string | null {
  const said: string[] = []
  let depth = 0
  new HTMLRewriter()
    .on('[lang="en"], pre, code, script, style', {
      element(element) {
        depth += 1
        element.onEndTag(() => {
          depth -= 1
        })
      },
    })
    .on('body *', {
      element(element) {
        for (const [name, value] of element.attributes)
          if (LABELS.test(name)) said.push(...wordsIn(value.replaceAll('&quot;', '"')))
      },
      text({ text }) {
        if (depth === 0) said.push(text)
      },
    })
    .on('title', {
      text({ text }) {
        said.push(text)
      },
    })
    .transform(html)
  return englishWordIn(said.join(' '))
}
