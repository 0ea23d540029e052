import { isSpoken } from './paths.ts'

/** Elements with an address in them, each with the attribute that holds it. */
const LEADS = { a: 'href', link: 'href', form: 'action', script: 'src', img: 'src' }

/** Those of them that lead a reader to another page. */
const WAYS_ON = { a: LEADS.a, form: LEADS.form }

/**
 * The page with `mount` before every path of ours, and `prefix`, that of a language, before the
 * paths of pages that speak it; unchanged where both are empty.
 */
export function mounted(html: string, mount: string, prefix = ''): string {
  if (mount === '' && prefix === '') return html
  const rewriter = new HTMLRewriter()
  for (const [tag, attribute] of Object.entries(mount === '' ? WAYS_ON : LEADS))
    rewriter.on(`${tag}[${attribute}^="/"]`, {
      element(element) {
        const path = element.getAttribute(attribute)!
        const isInLanguage = tag in WAYS_ON && isSpoken(path)
        element.setAttribute(attribute, `${mount}${isInLanguage ? prefix : ''}${path}`)
      },
    })
  return rewriter.transform(html)
}
