/** Marks what a page leaves out. */
const LEFT_OUT = '...'

/**
 * Reports whether a command printed what a page says: JSON with at least these fields and values,
 * or text in which these lines follow one another. Numbers in texts and keys may differ, since they
 * count days or are random; numbers in JSON may not.
 */
export function isAlike(documented: string, printed: string): boolean {
  const [ours, theirs] = [jsonOf(documented), jsonOf(printed)]
  if (ours !== undefined) return theirs !== undefined && isAlikeValue(ours, theirs)
  const rest = linesOf(printed)
  return linesOf(documented).every((line) => {
    const at = rest.findIndex((candidate) => isAlikeText(line, candidate))
    rest.splice(0, at + 1)
    return at >= 0
  })
}

function isAlikeValue(documented: unknown, printed: unknown): boolean {
  if (documented === LEFT_OUT) return true
  if (typeof documented === 'string')
    return typeof printed === 'string' && isAlikeText(documented, printed)
  if (typeof documented !== 'object' || documented === null) return documented === printed
  if (typeof printed !== 'object' || printed === null) return false
  if (!Array.isArray(documented))
    return Object.entries(documented).every(([name, value]) =>
      isAlikeValue(value, (printed as Record<string, unknown>)[name]),
    )
  if (!Array.isArray(printed)) return false
  const isWhole = documented.at(-1) !== LEFT_OUT
  const known = isWhole ? documented : documented.slice(0, -1)
  const isLong = isWhole ? printed.length === known.length : printed.length >= known.length
  return isLong && known.every((value, i) => isAlikeValue(value, printed[i]))
}

function isAlikeText(documented: string, printed: string): boolean {
  const parts = plain(documented).split(LEFT_OUT).map(RegExp.escape)
  return new RegExp(`^${parts.join('.*')}$`).test(plain(printed))
}

const plain = (text: string): string =>
  text
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '0')
    .replace(/crd_\w+/g, `crd_${LEFT_OUT}`)
    .replace(/\d+/g, '0')
    .replace(/\s+/g, ' ')
    .trim()

const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '')

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
