/** Words that the pages say in English, and that are in no name of the sample. */
export const ENGLISH_WORDS = new RegExp(
  String.raw`\b(prices?|fees?|seen|compare|providers?|your|which|than|when|what|arrives|the|` +
    String.raw`cheapest|mid-market|sign (in|out)|password|days|hours|better|highest|choose|shown?|` +
    String.raw`requests|today|revoke|passkeys?|recovery|keys|account|nothing|asks|allowed)\b`,
  'i',
)

/** Attributes with words in them; a script shows those of `data-`. */
const LABELS = /^(aria-label$|alt$|title$|data-(?!key|copy|copied|try|passkey$|chart|submit))/

/** An English word in a page of another language, where it does not say that it is English. */
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
        for (const [name, value] of element.attributes) if (LABELS.test(name)) said.push(value)
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
  return ENGLISH_WORDS.exec(said.join(' '))?.[0] ?? null
}
