import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { ruleFaults } from '~/file/ruled.ts'
import { meaningFaults } from './meaning.ts'
import { type Connector, ConnectorSchema } from './schema.ts'

/** The most characters of a connector; thirty lines have about a thousand. */
export const TEXT_LENGTH_MAX = 65_536
const ALIASES_MAX = 20

type Reading = { readonly connector: Connector | null; readonly faults: readonly string[] }

/** The connector in a YAML string, or all of its errors, which begin with line and column. */
export function readConnector(source: string): Reading {
  if (source.length > TEXT_LENGTH_MAX)
    return { connector: null, faults: [`has more than ${TEXT_LENGTH_MAX} characters`] }
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const placed = (at: number, sentence: string) => {
    const { line, col } = lines.linePos(at)
    return `line ${line}, column ${col}: ${sentence}`
  }
  if (document.errors.length > 0)
    return {
      connector: null,
      faults: document.errors.map(({ pos, message }) => placed(pos[0], message)),
    }
  let file: unknown
  try {
    file = document.toJS({ maxAliasCount: ALIASES_MAX })
  } catch {
    return { connector: null, faults: [`repeats its parts by more than ${ALIASES_MAX} aliases`] }
  }
  const broken = [...ruleFaults(ConnectorSchema, file)]
  const found = broken.length > 0 ? broken : [...meaningFaults(file as Connector)]
  const faults = found.map(({ parts, sentence }) =>
    placed(offsetOf(document.contents, parts), sentence),
  )
  return { connector: faults.length > 0 ? null : (file as Connector), faults }
}

/** Offset of the last existing part of a path. */
function offsetOf(contents: unknown, parts: readonly string[]): number {
  let [node, at] = [contents, 0]
  for (const part of parts) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
      if (!pair) break
      at = (isScalar(pair.key) ? pair.key.range?.[0] : null) ?? at
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(part)]
      if (isScalar(node)) at = node.range?.[0] ?? at
    } else break
  }
  return at
}
