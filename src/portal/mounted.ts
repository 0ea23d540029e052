/** Elements with an address in them, each with the attribute that holds it. */
const LEADS = { a: 'href', link: 'href', form: 'action', script: 'src', img: 'src' }

/** The page with `mount` before every path of ours; unchanged at the root. */
export function mounted(html: string, mount: string): string {
  if (mount === '') return html
  const rewriter = new HTMLRewriter()
  for (const [tag, attribute] of Object.entries(LEADS))
    rewriter.on(`${tag}[${attribute}^="/"]`, {
      element(element) {
        element.setAttribute(attribute, mount + element.getAttribute(attribute))
      },
    })
  return rewriter.transform(html)
}
