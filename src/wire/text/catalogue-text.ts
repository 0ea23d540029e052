import type { Freshness } from '~/domain/freshness.ts'
import type { CorridorView } from '~/memory/corridor-view.ts'
import type { Corridors, LiveCorridor } from '~/service/corridors.ts'
import { presentCorridor, presentCorridors } from '~/wire/catalogue.ts'
import { freshnessText } from '~/wire/present.ts'

/** JSON of a corridor, written once while it stays. Cache 7 of a read, see docs/architecture.md. */
const summaries = new WeakMap<CorridorView, string>()

/** The JSON of `presentCorridors`, byte for byte. */
export function corridorsText(found: Corridors, freshness: Freshness): string {
  const { corridors, count } = found
  if (corridors.length === 0 || corridors.length < count)
    return JSON.stringify(presentCorridors(found, freshness))
  let list = ''
  for (const corridor of corridors) list += `${list && ','}${summaryText(corridor)}`
  const tail = freshnessText(freshness)
  return `{"corridors":[${list}],"count":${corridors.length},${tail}`
}

function summaryText(corridor: LiveCorridor): string {
  const known = summaries.get(corridor.view)
  if (known !== undefined) return known
  const text = JSON.stringify(presentCorridor(corridor))
  summaries.set(corridor.view, text)
  return text
}
