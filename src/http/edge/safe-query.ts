const CODES = /^[a-z]{3,4}(,[a-z]{3,4}){0,19}$/i
const NUMBER = /^\d{1,16}(\.\d{1,12})?$/
const MOMENT = /^\d{4}-\d\d-\d\d(T[\d:.]{1,15}Z?)?$/
const WORD = /^[a-z\d]{1,5}$/i

/** The query parameters that may be logged, each with the only form its value may have. */
const SAFE: ReadonlyMap<string, RegExp> = new Map([
  ['from', CODES],
  ['to', CODES],
  ['amount', NUMBER],
  ['limit', NUMBER],
  ['offset', NUMBER],
  ['date', MOMENT],
  ['start', MOMENT],
  ['end', MOMENT],
  ['until', MOMENT],
  ['period', WORD],
  ['interval', WORD],
  ['order', WORD],
])

/** The query of a URL for the log, without anything that could be a key or a token. */
export function safeQuery(url: string): Record<string, string> {
  const safe: Record<string, string> = {}
  const start = url.indexOf('?')
  if (start < 0) return safe
  for (const [name, value] of new URLSearchParams(url.slice(start)))
    if (SAFE.get(name)?.test(value)) safe[name] = value
  return safe
}
