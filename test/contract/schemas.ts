import { FormatRegistry, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { CorridorsResponse, CurrenciesResponse, ProvidersResponse } from '~/wire/catalogue.ts'
import { ConvertResponse } from '~/wire/convert.ts'
import { CostsResponse } from '~/wire/country/costs.ts'
import { CountriesResponse } from '~/wire/country/countries.ts'
import {
  FetchManyToOneResponse,
  FetchMatrixResponse,
  FetchMultiResponse,
  FetchOneResponse,
} from '~/wire/fetch.ts'
import { ProviderRatesResponse } from '~/wire/provider-rates.ts'
import { RatesResponse } from '~/wire/rates.ts'
import { BulkResponse } from '~/wire/recording/bulk.ts'
import { IngestResponse } from '~/wire/recording/ingest.ts'
import { StatusResponse } from '~/wire/status/status.ts'
import { UsageResponse } from '~/wire/usage.ts'

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const DATE = /^\d{4}-\d\d-\d\d$/

FormatRegistry.Set('date-time', (text) => INSTANT.test(text) && !Number.isNaN(Date.parse(text)))
FormatRegistry.Set('date', (text) => DATE.test(text) && !Number.isNaN(Date.parse(text)))
TypeRegistry.Set<{ enum: string[] }>('Unsafe', (schema, value) =>
  schema.enum.includes(value as string),
)

const checks = {
  '/rates': RatesResponse,
  '/convert': ConvertResponse,
  '/currencies': CurrenciesResponse,
  '/corridors': CorridorsResponse,
  '/countries': CountriesResponse,
  '/costs': CostsResponse,
  '/providers': ProvidersResponse,
  '/fetch-one': FetchOneResponse,
  '/fetch-multi': FetchMultiResponse,
  '/fetch-matrix': FetchMatrixResponse,
  '/fetch-many-to-one': FetchManyToOneResponse,
  '/rates/provider': ProviderRatesResponse,
  '/admin/usage': UsageResponse,
  '/status': StatusResponse,
  'POST /rates': IngestResponse,
  'POST /rates/bulk': BulkResponse,
  error: Type.Object({
    error: Type.String({ pattern: '^\\S.* .*\\S$' }),
    code: Type.String({ pattern: '^[a-z]+(_[a-z]+)*$' }),
  }),
} satisfies Record<string, TSchema>

export type Answer = keyof typeof checks

const compiled = new Map(
  Object.entries(checks).map(([name, schema]) => [name, TypeCompiler.Compile<TSchema>(schema)]),
)

/** Places where a body breaks the schema of its response, a line each; empty if it does not. */
export function breaches(answer: Answer, body: unknown): string[] {
  const check = compiled.get(answer)!
  if (check.Check(body)) return []
  return [...check.Errors(body)].map(({ path, message }) => `${path}: ${message}`)
}

export const ANSWERS = Object.keys(checks) as Answer[]
