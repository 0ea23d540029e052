/** What of a page leads somewhere, and the attribute that says where. */
const LEADS = { a: 'href', link: 'href', form: 'action', script: 'src', img: 'src' }

/** The same page, whose paths of our own all begin with `mount`; at the root they do already. */
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
