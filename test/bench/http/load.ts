import { autocannon } from './autocannon.ts'
import type { Endpoint } from './endpoints.ts'
import { wrk } from './wrk.ts'

/** Enough to keep a server busy. */
export const CONNECTIONS = 64

export type Load = {
  readonly origin: string
  readonly endpoint: Endpoint
  readonly seconds: number
  /** Requests a second in all; null for as many as the server handles. */
  readonly perSecond: number | null
}

/** Measurements of a load generator. */
export type Seen = {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  /** Bytes of one whole response, headers included. */
  readonly bytes: number
}

/** Load generators. Each throws if a response is lost or has another status than the endpoint's. */
export const GENERATORS = { wrk, autocannon } as const
export type GeneratorName = keyof typeof GENERATORS

/** The faster generator, if it is installed. */
export const bestGenerator = (): GeneratorName => (Bun.which('wrk') ? 'wrk' : 'autocannon')
