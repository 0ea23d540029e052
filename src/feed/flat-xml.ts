import { FeedError } from '~/domain/feed/feed.ts'

type XmlElement = {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
}

const TOKEN = new RegExp(
  [
    '[^<]+',
    '<!--[\\s\\S]*?-->',
    '<\\?xml [^<>]*\\?>',
    `<(/?)([\\w:.-]+)((?:\\s+[\\w:.-]+\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`,
  ].join('|'),
  'y',
)
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/**
 * The elements of a small XML document in the order they begin.
 *
 * Reads only what plain tables consist of: tags, attributes, comments. Throws a FeedError
 * `malformed` for anything else - a DOCTYPE, CDATA, processing instructions - and when tags do not
 * match, or the document ends early. Entities are left as they are; text between tags is ignored.
 */
export function flatXml(text: string): XmlElement[] {
  const elements: XmlElement[] = []
  const open: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text)
    if (!match) throw broken()
    const [token, slash, name, attributes = '', isEmpty] = match
    if (name === undefined) {
      if (open.length === 0 && !token.startsWith('<') && token.trim() !== '') throw broken()
    } else if (slash) {
      if (open.pop() !== name) throw broken()
    } else {
      if (open.length === 0 && elements.length > 0) throw broken()
      elements.push({ name, attributes: attributesOf(attributes) })
      if (!isEmpty) open.push(name)
    }
  }
  if (open.length > 0 || elements.length === 0) throw broken()
  return elements
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name, inDouble, inSingle] of text.matchAll(ATTRIBUTE)) {
    if (attributes.has(name!)) throw broken()
    attributes.set(name!, inDouble ?? inSingle ?? '')
  }
  return attributes
}

const broken = () => new FeedError('malformed', 'did not answer complete XML')
