import { FeedError } from '~/domain/feed/feed.ts'

type XmlElement = {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: XmlElement[]
  /** Text between the tags, without that of child elements. */
  text: string
}

const TOKEN = new RegExp(
  [
    '([^<]+)',
    '<!--[\\s\\S]*?-->',
    '<!\\[CDATA\\[([\\s\\S]*?)\\]\\]>',
    '<\\?xml[ -][^<>]*\\?>',
    `<(/?)([\\w:.-]+)((?:\\s+[\\w:.-]+\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`,
  ].join('|'),
  'y',
)
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

const DEPTH_MAX = 100

/**
 * The elements of an XML document in the order they begin; the first holds all others.
 *
 * Throws a FeedError `malformed` for a DOCTYPE, so that no entity is defined and expanded, for
 * processing instructions, and when tags do not match, or the document ends early.
 */
export function xmlElements(source: string): XmlElement[] {
  const elements: XmlElement[] = []
  const open: XmlElement[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < source.length) {
    const match = TOKEN.exec(source)
    if (!match) throw broken()
    const [, text, data, slash, name, attributes = '', isEmpty] = match
    const parent = open.at(-1)
    const said = data ?? (text === undefined ? '' : unescaped(text))
    if (name === undefined) {
      if (parent) parent.text += said
      else if (said.trim() !== '') throw broken()
    } else if (slash) {
      if (open.pop()?.name !== name) throw broken()
    } else {
      if ((!parent && elements.length > 0) || open.length >= DEPTH_MAX) throw broken()
      const element = { name, attributes: attributesOf(attributes), children: [], text: '' }
      elements.push(element)
      parent?.children.push(element)
      if (!isEmpty) open.push(element)
    }
  }
  if (open.length > 0 || elements.length === 0) throw broken()
  return elements
}

/**
 * The first element of an XML document as a value: its text, or an object with its attributes and
 * children by their names without a prefix, a list if a name occurs more than once, and `text` with
 * them. Throws as `xmlElements` does.
 */
export const xmlValue = (source: string): unknown => contentOf(xmlElements(source)[0]!)

function contentOf({ attributes, children, text }: XmlElement): unknown {
  const said = text.trim()
  const parts = [
    ...[...attributes].filter(([name]) => !name.startsWith('xmlns')),
    ...children.map((child) => [child.name, contentOf(child)] as const),
  ]
  if (parts.length === 0) return said
  const values = Map.groupBy(parts, ([name]) => name.replace(/^.*:/, ''))
  return Object.fromEntries([
    ...(said === '' ? [] : [['text', said] as const]),
    ...[...values].map(([name, all]): [string, unknown] => {
      const [first] = all
      return [name, all.length === 1 ? first![1] : all.map(([, value]) => value)]
    }),
  ])
}

const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Text with its character references decoded; a reference to no character stays. */
const unescaped = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    (whole, ten, hex, sign) => {
      if (sign) return SIGNS[sign.toLowerCase()]!
      const code = hex ? Number.parseInt(hex, 16) : Number(ten)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name, inDouble, inSingle] of text.matchAll(ATTRIBUTE)) {
    if (attributes.has(name!)) throw broken()
    attributes.set(name!, unescaped(inDouble ?? inSingle ?? ''))
  }
  return attributes
}

const broken = () => new FeedError('malformed', 'did not return complete XML')
