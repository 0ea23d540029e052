import { expect } from 'bun:test'
import type { Arrival } from '~/connector/arrival.ts'
import { arrivalsOf } from '~/connector/arrivals.ts'
import { readConnector } from '~/connector/definition.ts'
import { Reading } from '~/connector/reading.ts'
import { type FetcherDeps, systemPace } from '~/feed/fetcher.ts'
import { allowedPlaces } from '~/outbound/places.ts'

export const ARRIVED_MS = Date.parse('2026-11-24T12:00:00Z')

type Outside = {
  readonly env?: Readonly<Record<string, string>>
  readonly allow?: readonly string[]
  readonly seen?: readonly string[]
  readonly pace?: Partial<FetcherDeps>
  readonly nowMs?: number
}

/** Result of a connector's source at `ARRIVED_MS`; 127.0.0.1 is allowed by default. */
export async function arrived(text: string, outside: Outside = {}): Promise<Arrival[]> {
  const { env = {}, allow = ['127.0.0.1'], seen = [], pace, nowMs = ARRIVED_MS } = outside
  const { connector, faults } = readConnector(text)
  expect(faults).toEqual([])
  const arrivals: Arrival[] = []
  const fetcher = { ...systemPace, clock: { now: () => nowMs }, ...pace }
  const reading = new Reading(fetcher)
  const places = { env, folder: '/', agent: 'corridor', allowed: allowedPlaces(allow) }
  const outer = { ...places, fetcher, reading, seen: new Set(seen) }
  try {
    for await (const arrival of arrivalsOf(connector!, outer)) arrivals.push(arrival)
  } finally {
    reading.close()
  }
  return arrivals
}

/** The names of arrivals with the values of their rows. */
export const valuesOf = (arrivals: readonly Arrival[]) =>
  arrivals.map(({ name, rows }) => [name, rows.map(({ values }) => values)])
