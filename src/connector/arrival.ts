import type { FetcherDeps } from '~/feed/fetcher.ts'
import type { AllowedPlaces } from '~/outbound/places.ts'
import type { Reading } from './reading.ts'
import type { Page } from './rows.ts'

/** One response or file. */
export type Arrival = {
  readonly rows: Page['rows']
  /** The time of the response, or of the last write to the file. */
  readonly atMs: number
  /** Name in errors: a file, or the requested values. */
  readonly name: string
  /** A file by its name, size, digest and time; null for a response. */
  readonly file: string | null
  /** Beginning of the response or file. */
  readonly excerpt: string
}

export type Outer = {
  readonly fetcher: FetcherDeps
  readonly reading: Reading
  readonly allowed: AllowedPlaces
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder in which a relative path begins. */
  readonly folder: string
  readonly agent: string
  /** The files that were processed before. */
  readonly seen: ReadonlySet<string>
}
