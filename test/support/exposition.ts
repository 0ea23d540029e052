/** One line of an exposition in the text format of Prometheus. */
export type Line = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Content of an exposition, read by the format's own rules; throws at a line that breaks them. */
export class Said {
  readonly lines: readonly Line[]
  /** The kind of every metric by its name. */
  readonly types: ReadonlyMap<string, string>

  constructor(text: string) {
    if (!text.endsWith('\n')) throw new Error('the last line has no end')
    const types = new Map<string, string>()
    this.lines = text.split('\n').flatMap((line): Line[] => {
      const [, name, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? []
      if (name) types.set(name, type!)
      return line === '' || line.startsWith('#') ? [] : [lineOf(line)]
    })
    this.types = types
  }

  /** The one value under a name and labels; omitted labels may have any value. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    const found = this.all(name, labels)
    if (found.length > 1) throw new Error(`${name} has ${found.length} values`)
    return found[0]?.value
  }

  all(name: string, labels: Record<string, string> = {}): Line[] {
    const wanted = Object.entries(labels)
    return this.lines.filter(
      (line) => line.name === name && wanted.every(([label, text]) => line.labels[label] === text),
    )
  }
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/g

function lineOf(text: string): Line {
  const [, name, list = '', number] = LINE.exec(text) ?? []
  if (!name) throw new Error(`no line of an exposition: ${text}`)
  const labels = [...list.matchAll(LABEL)]
  if (labels.map(([whole]) => whole).join('') !== list) throw new Error(`odd labels: ${text}`)
  const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number)
  if (Number.isNaN(value)) throw new Error(`no number: ${text}`)
  return { name, labels: Object.fromEntries(labels.map(([, of, as]) => [of!, as!])), value }
}
