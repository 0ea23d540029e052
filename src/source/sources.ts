import { SECOND_MS } from '~/domain/duration.ts'
import { FeedError, type Validators } from '~/domain/feed/feed.ts'
import type { BankDay } from '~/domain/source/day.ts'
import type { Question, QuoteSource, SourceAnswer } from '~/domain/source/source.ts'
import { documentText, excerptOf, refuseWebPage } from '~/feed/document.ts'
import { type FetcherDeps, fetchAnswer, type Limits } from '~/feed/fetcher.ts'
import { ask } from '~/outbound/ask.ts'
import { ANYWHERE, NAMED } from '~/outbound/places.ts'
import type { Bank, BankAnswer, BankRequest } from './bank.ts'
import { BANKS } from './banks.ts'

export type SourceName = keyof typeof BANKS

export const SOURCE_NAMES = Object.keys(BANKS) as SourceName[]

type SourcesDeps = {
  readonly fetcher: FetcherDeps
  /** A base URL that replaces all hosts, and knows their keys; null for none. */
  readonly via: string | null
  /** The keys of banks that give out some, by name. */
  readonly keys: Readonly<Record<string, string>>
  /** The user agent of requests to banks. */
  readonly agent: string
}

/** Twice the largest page that a bank returns: Nigeria's 62,000 rows since 2001 are 8 MB. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024
/** Pages that search years of rates take their time. */
const PAGE_MS_MAX = 30 * SECOND_MS
const LIMITS: Limits = { bytesMax: PAGE_BYTES_MAX, attemptMsMax: PAGE_MS_MAX }
/** The host of `via` resolves host names itself. */
const LIMITS_VIA: Limits = { ...LIMITS, allowed: NAMED }
/** The maximum number of pages of one query to a bank. */
const PAGES_MAX = 200
/** The pause between two pages of one bank. */
const PAUSE_MS = 250
const EXCERPT_LENGTH_MAX = 80

const ACCEPT = {
  json: 'application/json, */*;q=0.5',
  html: 'text/html, */*;q=0.5',
  csv: 'text/csv, */*;q=0.5',
  spreadsheet: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, */*;q=0.5',
}

/** The banks of these names, in their order. Nothing is fetched yet. */
export function createSources(names: readonly SourceName[], deps: SourcesDeps): QuoteSource[] {
  const { via, keys, agent } = deps
  const fetcher = via === null ? deps.fetcher : fetchingVia(via, deps.fetcher)
  return names.map((name) => {
    const key = keys[name] ?? null
    return sourceOf(name, BANKS[name], { fetcher, agent, via, key })
  })
}

/**
 * Fetching through one host for all: `https://host/path?q` is requested at `via/host/path?q`.
 * Redirects are followed as the hosts themselves give them, so each hop goes through that host too,
 * and names are looked up for it alone.
 */
function fetchingVia(via: string, deps: FetcherDeps): FetcherDeps {
  const { hostname } = new URL(via)
  return {
    ...deps,
    connect({ url: { host, pathname, search }, ...request }) {
      const url = new URL(`${via}/${host}${pathname}${search}`)
      return ask(deps, { ...request, url }, { allowed: ANYWHERE, isSecureOnly: false })
    },
    addressesOf: async () => [hostname],
  }
}

type Outside = Pick<SourcesDeps, 'fetcher' | 'agent' | 'via'> & { readonly key: string | null }

/** A bank that can be asked; its pages one after another. */
function sourceOf(id: string, bank: Bank, outside: Outside): QuoteSource {
  const { provider, currency, timeZone, publishes, reach } = bank
  const asker = new Asker(bank, outside)
  const ask = (question: Question) => asker.ask(question)
  return { id, provider, currency, timeZone, publishes, reach, ask }
}

/** Asks a bank page by page, never faster than it may be asked. */
class Asker {
  #askedMs: number | null = null

  constructor(
    private readonly bank: Bank,
    private readonly outside: Outside,
  ) {}

  async ask({ span, readSinceMs, validators }: Question): Promise<SourceAnswer> {
    const { bank } = this
    const read = { ...span, sinceMs: Math.min(span.sinceMs, readSinceMs) }
    const waiting = [...bank.requests(span)]
    const isOnePage = waiting.length === 1 && waiting[0]!.form === undefined && !bank.next
    const cookies = new Map<string, string>()
    const days: BankDay[] = []
    let latest: Validators | null = null
    for (let pages = 1, request = waiting.shift(); request; request = waiting.shift(), pages++) {
      if (pages > PAGES_MAX)
        throw new FeedError('too_large', `returns more than ${PAGES_MAX} pages`)
      const known = isOnePage ? validators : null
      const { answer, ...page } = await this.#page(request, { cookies, validators: known })
      if (answer === null) return { days: [], isUnchanged: true, validators }
      latest = isOnePage ? page.validators : null
      const next = readable(answer, () => bank.next?.(answer, span) ?? [])
      if (next.length > 0) waiting.unshift(...next)
      else days.push(...readable(answer, () => bank.read(answer, read)))
    }
    return { days, isUnchanged: false, validators: latest }
  }

  /** A page, in its turn; without a response if it has not changed. */
  async #page(request: BankRequest, { cookies, validators }: Memo) {
    const { fetcher, agent, via } = this.outside
    const nowMs = fetcher.clock.now()
    if (this.#askedMs !== null && nowMs - this.#askedMs < PAUSE_MS) await fetcher.sleep(PAUSE_MS)
    const { url, form, format, headers } = request
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const page = await fetchAnswer(
      {
        url: new URL(url),
        headers: { accept: ACCEPT[format], 'user-agent': agent, ...headers },
        secretHeaders: { ...this.#keyHeaders(), ...(cookie !== '' && { cookie }) },
        validators,
        ...(form !== undefined && { form }),
      },
      via === null ? LIMITS : LIMITS_VIA,
      fetcher,
    ).finally(() => {
      this.#askedMs = fetcher.clock.now()
    })
    for (const [name, value] of page.cookies.map(cookieOf)) cookies.set(name, value)
    const { bytes } = page
    return { answer: bytes && answerOf(request, bytes), validators: page.validators }
  }

  #keyHeaders(): Record<string, string> {
    const { key, via } = this.outside
    const { header } = this.bank.key ?? {}
    if (header === undefined || (key === null && via !== null)) return {}
    if (key !== null) return { [header]: key }
    throw new FeedError('misconfigured', 'needs a key in QUOTE_SOURCES_KEYS')
  }
}

type Memo = { readonly cookies: Map<string, string>; readonly validators: Validators | null }

function answerOf(request: BankRequest, bytes: Uint8Array): BankAnswer {
  const { format, charset } = request
  const unread = { request, bytes, text: '' }
  if (format === 'spreadsheet') return unread
  return readable(unread, () => {
    const text = documentText(bytes, charset)
    if (format !== 'html') refuseWebPage(text)
    return { ...unread, text }
  })
}

/** Reads a response; a failure is reported with its length and beginning. */
function readable<T>(answer: BankAnswer, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FeedError)) throw error
    const { fault, message } = error
    const came = `${message}, in a response of ${answer.bytes.length} bytes`
    const { bytes, text } = answer
    const beginning = text || Buffer.from(bytes.subarray(0, EXCERPT_LENGTH_MAX)).toString('latin1')
    throw new FeedError(fault, came, { excerpt: excerptOf(beginning, EXCERPT_LENGTH_MAX) })
  }
}

function cookieOf(text: string): [name: string, value: string] {
  const at = text.indexOf('=')
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}
