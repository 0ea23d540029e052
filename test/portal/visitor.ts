export type Seen = { status: number; html: string; headers: Headers; location: string | null }

type Init = {
  headers?: Record<string, string>
  method?: string
  body?: string | Uint8Array<ArrayBuffer>
}

let addresses = 0

/**
 * A browser reduced to forms: it stores cookies, submits the forms of pages, and follows no
 * redirect.
 */
export class Visitor {
  readonly cookies = new Map<string, string>()
  /** A separate address for each visitor. */
  address = `198.18.${(++addresses >> 8) & 255}.${addresses & 255}`

  constructor(readonly origin: string) {}

  async ask(path: string, { headers = {}, ...init }: Init = {}): Promise<Seen> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const reply = await fetch(new URL(path, this.origin), {
      redirect: 'manual',
      ...init,
      headers: { 'x-forwarded-for': this.address, ...(cookie && { cookie }), ...headers },
    })
    for (const line of reply.headers.getSetCookie()) this.#keep(line)
    const { status } = reply
    const location = reply.headers.get('location')
    return { status, html: await reply.text(), headers: reply.headers, location }
  }

  get(path: string): Promise<Seen> {
    return this.ask(path)
  }

  /** Sends a form as a browser does that shows one of our pages. */
  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    return this.ask(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: this.origin,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    })
  }

  /** Opens a page, fills in the form with target `action`, and sends it. */
  async submit(page: string, fields: Record<string, string>, action?: string): Promise<Seen> {
    const { html, status } = await this.get(page)
    const form = formsIn(html).find((one) => !action || one.action === action)
    if (!form) throw new Error(`no form on ${page} (${status}): ${html.slice(0, 300)}`)
    return this.post(form.action, { ...form.hidden, ...fields })
  }

  /** The token in the forms of a page. */
  async token(page: string): Promise<string> {
    return formsIn((await this.get(page)).html)[0]!.hidden.form_token!
  }

  #keep(line: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
    if (/max-age=0/i.test(line)) this.cookies.delete(name!)
    else this.cookies.set(name!, value!)
  }
}

type Form = { action: string; hidden: Record<string, string> }

/** The POST forms of a page with their fields, except for the choice of a language. */
export function formsIn(html: string): Form[] {
  return allFormsIn(html).filter(({ action }) => !action.endsWith('/language'))
}

function allFormsIn(html: string): Form[] {
  return [...html.matchAll(/<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action, inside]) => ({
      action: unescaped(action!).split('#')[0]!,
      hidden: Object.fromEntries(
        [...inside!.matchAll(/<input type="hidden" name="([^"]+)"[^>]*value="([^"]*)"/g)].map(
          ([, name, value]) => [name!, unescaped(value!)],
        ),
      ),
    }),
  )
}

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
