import { SECOND_MS } from '~/domain/duration.ts'
import type { Timings } from './timings.ts'

/** Labels of a sample. Bounded by construction: values are our own names, never a caller's. */
export type Labels = Readonly<Record<string, string>>
export type Sample<T> = readonly [labels: Labels, value: T]

type Named = { readonly name: string; readonly help: string }

/** One metric: its name and how to read it for a scrape. */
export type Family =
  | (Named & { readonly type: 'counter'; read(): Samples })
  | (Named & { readonly type: 'gauge'; read(): Samples | Promise<Samples> })
  | (Named & { readonly type: 'histogram'; read(): Iterable<Sample<Timings>> })

type Samples = Iterable<Sample<number>>

type Described = readonly [name: string, help: string]

const PREFIX = 'corridor_'

/** A number that only grows. */
export const counter = ([name, help]: Described, read: () => number): Family => ({
  ...{ name: PREFIX + name, help, type: 'counter' },
  read: () => [[{}, read()]],
})

/** A present number; null if there is none. */
export const gauge = ([name, help]: Described, read: () => number | null): Family => ({
  ...{ name: PREFIX + name, help, type: 'gauge' },
  read: () => {
    const value = read()
    return value === null ? [] : [[{}, value]]
  },
})

export const histogram = (described: Described, timings: Timings): Family =>
  histogramOf(described, () => [[{}, timings]])

/** Times of the same thing, distinguished by their labels. */
export const histogramOf = (
  [name, help]: Described,
  read: () => Iterable<Sample<Timings>>,
): Family => ({ ...{ name: PREFIX + name, help, type: 'histogram', read } })

/** Counters of the same thing, distinguished by their labels. */
export const counterOf = ([name, help]: Described, read: () => Samples): Family => ({
  ...{ name: PREFIX + name, help, type: 'counter', read },
})

/** Present numbers of the same thing, distinguished by their labels. */
export const gaugeOf = (
  [name, help]: Described,
  read: () => Samples | Promise<Samples>,
): Family => ({
  ...{ name: PREFIX + name, help, type: 'gauge', read },
})

export const secondsOf = (ms: number): number => ms / SECOND_MS

/** The age of something in seconds; null for something that never was. */
export const ageSeconds = (nowMs: number, thenMs: number | null | undefined): number | null =>
  thenMs === null || thenMs === undefined ? null : secondsOf(nowMs - thenMs)
