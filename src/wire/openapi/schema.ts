import type { TSchema } from '@sinclair/typebox'

export type Json = { [name: string]: unknown }

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

/**
 * TypeBox schemas in the form of OpenAPI 3.1. A schema with a title becomes a component of that
 * name, wherever it occurs; two different ones with one name throw.
 */
export class Components {
  readonly schemas: Json = {}

  /** The schema, or a reference to the component that it became. */
  schema({ title, ...schema }: TSchema): Json {
    if (title === undefined) return this.#written(schema)
    const written = { description: MEANINGS[title], ...this.#written(schema) }
    const held = this.schemas[title] ?? written
    this.schemas[title] = held
    if (!Bun.deepEquals(held, written)) throw new Error(`two schemas are called ${title}`)
    return { $ref: `#/components/schemas/${title}` }
  }

  #written(schema: Json): Json {
    if (Array.isArray(schema.anyOf)) return this.#union(schema)
    const written: Json = {}
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'patternProperties')
        written.additionalProperties = this.schema(Object.values(value as Json)[0] as TSchema)
      else if (keyword === 'properties') written.properties = this.#each(value as Json)
      else if (keyword === 'items') written.items = this.schema(value as TSchema)
      else written[keyword] = value
    }
    return written
  }

  /** A union; a plain type or null is written as a list of types. */
  #union({ anyOf, ...rest }: Json): Json {
    const [first, second, ...more] = (anyOf as TSchema[]).map((member) => this.schema(member))
    const isNullable = second?.type === 'null' && more.length === 0
    const isPlain = typeof first?.type === 'string' && !('enum' in first || 'const' in first)
    if (isNullable && isPlain) return { ...first, ...rest, type: [first.type, 'null'] }
    return { ...rest, anyOf: [first, second, ...more] }
  }

  #each(properties: Json): Json {
    const entries = Object.entries(properties).filter(([, value]) => isJson(value))
    return Object.fromEntries(entries.map(([name, value]) => [name, this.schema(value as TSchema)]))
  }
}

/**
 * The meaning of each component whose schema has no description, by its name. They stand here and
 * not in the schemas because tools show those too, where each word costs a model its attention.
 */
export const MEANINGS: Readonly<Record<string, string>> = {
  Alert: 'An alert of the account, with its state.',
  AlertBody: 'What to watch, and where to send it.',
  AlertChangeBody: 'The fields of an alert to change; the others stay.',
  AlertDeliveriesResponse: 'The newest deliveries of an alert.',
  AlertDelivery: 'A delivery of an alert and its outcome.',
  AlertSecret: 'A new signing key of an alert.',
  AlertsResponse: 'The alerts of the account.',
  ChangeFigures: 'The change of a value from the start to the end.',
  ChangeMoment: 'The mid and the best price at one end of a period.',
  ChangeResponse: 'How the mid and the best price of a corridor moved over a period.',
  ConvertProviderEntry: 'What one provider pays out for the amount, after its fee.',
  ConvertResponse: 'What each provider pays out for an amount, and the best of them.',
  CorridorChange: 'The change of each value that is known at both ends of the period.',
  CorridorSummary: 'Figures of a corridor with live prices.',
  CorridorsResponse: 'Every corridor with live prices.',
  CostEntry: 'One offer and its cost, fee and exchange rate margin together.',
  CostGoals: 'Whether the average meets the goals for the cost of transfers.',
  CostsResponse: 'What it costs to send an amount from one country to another.',
  CountriesResponse: 'Countries with their currencies, and the pairs of countries with offers.',
  Country: 'A country and its currencies.',
  CountryPairSummary: 'Two countries, and figures of the offers that name both.',
  CurrenciesResponse: 'Every active currency, and every corridor with live prices.',
  Currency: 'A supported currency.',
  DoubtfulPeg: 'A peg of the catalogue that the feeds contradict.',
  DoubtfulMid: 'A mid that feeds disagree on, or that one feed alone moved far.',
  EntryCost: 'What a transfer costs: fee and exchange rate margin, in percent and in money.',
  FeedValue: "One reference feed's rate of a currency, and whether it is used.",
  FetchManyToOneResponse: 'Mid and best rate of several base currencies into one.',
  FetchMatrixResponse: 'Mid and best rate of every base currency into every quote currency.',
  FetchMultiResponse: 'Mid and best rate of one base currency into several.',
  FetchOneResponse: 'Mid and best rate of one pair.',
  HeldBackMid: 'A reference that moved too far to be used before another one confirms it.',
  HistoricalResponse: 'The prices of a corridor as they stood at the end of a past UTC day.',
  HistoryPoint: 'One observation, as it was recorded.',
  HistoryResponse: 'A page of the observations of a corridor.',
  BulkResponse: 'The outcome of recording many rows.',
  IngestResponse: 'What was recorded.',
  WithdrawalBody: 'What to withdraw, and why.',
  WithdrawalResponse: 'What was withdrawn.',
  MidFeedState: 'The state of one reference feed.',
  QuoteSourceState: "The state of fetching one bank's official rates.",
  ConnectorState: 'When a connector ran last, and whether that run failed.',
  MidFeeds: 'The state of the reference feeds.',
  NewAlert: 'An alert, with its signing key if that is new.',
  OfficialRate: 'The rate that one bank had published by the date.',
  OfficialResponse: "Banks' rates for a date, compared with that day's mid.",
  PairValue: 'The mid and the best executable price of one pair.',
  ReferencesResponse: "The feeds' and banks' rates of a currency, and the resulting mid.",
  SeriesCandle: 'The first, highest, lowest and last rate of a bucket.',
  Provider: 'An active provider.',
  ProviderRate: "One provider's latest price in the corridor.",
  DetailedRate: "One provider's latest price in the corridor, with its notes if requested.",
  ProviderRatesResponse: 'The latest price of one provider in each corridor that it quotes.',
  ProvidersResponse: 'Every active provider.',
  RateRow: 'One observation to record. The currencies are given as from and to, or in full.',
  RatesResponse: 'The latest price of every provider in a corridor.',
  RowFault: 'One error of one row; rows are numbered from 0.',
  SmartOffers: 'The three cheapest offers that arrive within five days, and their mean cost.',
  StatusResponse: 'Whether the service works, and how fresh its data is.',
  TimeSeriesPoint: 'One hour or one day.',
  TimeSeriesResponse: 'The mid and the best price of a corridor, hour by hour or day by day.',
  UsageResponse: 'What is left of the quota, and what was used of it.',
}
