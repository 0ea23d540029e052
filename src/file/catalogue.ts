import { FormatRegistry, type Static, type TSchema, Type } from '@sinclair/typebox'
import { CURRENCY_KINDS, CURRENCY_TYPES, type Currency } from '~/domain/currency.ts'
import { isOneLine, ONE_LINE_RULE } from '~/domain/naming/one-line.ts'
import { PROVIDER_TYPES, type Provider, RATE_TYPES } from '~/domain/provider.ts'
import { isTimeZone } from '~/domain/source/zone.ts'
import { ruled, ruleFaults } from './ruled.ts'

export const CATALOGUE_BYTES_MAX = 16 * 1_048_576
export const CATALOGUE_FAULTS_MAX = 20

const ENTRIES_MAX = 100_000
const NAME_LENGTH_MAX = 200
const URL_LENGTH_MAX = 2048
const PAYMENT_METHODS_MAX = 50
const SORT_ORDER_MAX = 1_000_000_000
const PEG_RATE_MIN = 1e-9
const PEG_RATE_MAX = 1e9

const LINE = 'corridor-line'
const WEB_ADDRESS = 'corridor-web-address'
const TIME_ZONE = 'corridor-time-zone'

FormatRegistry.Set(LINE, isOneLine)
FormatRegistry.Set(TIME_ZONE, isTimeZone)
FormatRegistry.Set(WEB_ADDRESS, (text) => /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text))

const orNull = <T extends TSchema>(schema: T) =>
  Type.Optional(ruled(Type.Union([schema, Type.Null()]), `${schema.rule}, or null`))

const word = <const T extends readonly [string, ...string[]]>(values: T) =>
  ruled(
    Type.Union(values.map((value) => Type.Literal(value as T[number]))),
    `must be one of ${values.join(', ')}`,
  )

const line = ruled(
  Type.String({ format: LINE, maxLength: NAME_LENGTH_MAX }),
  `must be a text of 1 to ${NAME_LENGTH_MAX} characters ${ONE_LINE_RULE}`,
)

const webAddress = ruled(
  Type.String({ format: WEB_ADDRESS, maxLength: URL_LENGTH_MAX }),
  'must be an http:// or https:// address',
)

const timeZone = ruled(
  Type.String({ format: TIME_ZONE }),
  'must be an IANA time zone such as Africa/Nairobi',
)

const isActive = Type.Optional(ruled(Type.Boolean(), 'must be true or false'))

const closed = { additionalProperties: false }

const CODE = ruled(Type.String({ pattern: '^[A-Za-z]{3,4}$' }), 'must be 3 or 4 letters')

const peg = ruled(
  Type.Object(
    { to: CODE, rate: Type.Number({ minimum: PEG_RATE_MIN, maximum: PEG_RATE_MAX }) },
    closed,
  ),
  'must be an object with to, a currency code, and rate, how much of this currency one of that ' +
    `is worth: ${PEG_RATE_MIN} to ${PEG_RATE_MAX}`,
)

const CurrencyInFile = ruled(
  Type.Object(
    {
      code: CODE,
      name: line,
      type: Type.Optional(word(CURRENCY_TYPES)),
      kind: Type.Optional(word(CURRENCY_KINDS)),
      flag_url: orNull(webAddress),
      minor_units: orNull(
        ruled(Type.Integer({ minimum: 0, maximum: 8 }), 'must be a whole number from 0 to 8'),
      ),
      is_active: isActive,
      peg: orNull(peg),
      sort_order: Type.Optional(
        ruled(
          Type.Integer({ minimum: -SORT_ORDER_MAX, maximum: SORT_ORDER_MAX }),
          `must be a whole number from ${-SORT_ORDER_MAX} to ${SORT_ORDER_MAX}`,
        ),
      ),
    },
    closed,
  ),
  'must be an object',
)

const ProviderInFile = ruled(
  Type.Object(
    {
      id: ruled(
        Type.String({ pattern: '^[A-Za-z0-9._-]{1,100}$' }),
        'must be 1 to 100 of the characters A-Z, a-z, 0-9, dot, underscore and hyphen',
      ),
      name: line,
      provider_type: orNull(word(PROVIDER_TYPES)),
      rate_type: Type.Optional(word(RATE_TYPES)),
      region: orNull(line),
      time_zone: orNull(timeZone),
      transfer_time: orNull(line),
      payment_methods: orNull(
        ruled(
          Type.Array(line, { maxItems: PAYMENT_METHODS_MAX }),
          `must be a list of at most ${PAYMENT_METHODS_MAX} texts`,
        ),
      ),
      logo_url: orNull(webAddress),
      website_url: orNull(webAddress),
      is_active: isActive,
    },
    closed,
  ),
  'must be an object',
)

const listOf = <T extends TSchema>(entry: T) =>
  Type.Optional(
    ruled(
      Type.Array(entry, { maxItems: ENTRIES_MAX }),
      `must be a list of at most ${ENTRIES_MAX} entries`,
    ),
  )

/** A catalogue file. Unknown fields are errors: a misspelt one would be lost silently. */
export const CatalogueFile = ruled(
  Type.Object({ currencies: listOf(CurrencyInFile), providers: listOf(ProviderInFile) }, closed),
  'must be an object with the lists currencies and providers',
)

type CatalogueReading = {
  readonly currencies: Currency[]
  readonly providers: Provider[]
  /** Sentences, each beginning with the path of its place; both lists are empty with any. */
  readonly faults: string[]
  /** The number of errors beyond those listed. */
  readonly furtherFaults: number
}

/**
 * The currencies and providers of a catalogue file, with defaults for omitted fields.
 *
 * It never throws: a string that is not JSON is an error like any other.
 */
export function readCatalogueFile(text: string): CatalogueReading {
  const faults = new FaultList()
  let file: unknown
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    faults.add(`the file is not valid JSON: ${(error as Error).message}`)
    return faults.reading()
  }
  for (const { sentence } of ruleFaults(CatalogueFile, file)) faults.add(sentence)
  if (faults.isEmpty) faults.addAll(repeated(file as Static<typeof CatalogueFile>))
  if (!faults.isEmpty) return faults.reading()
  return { ...catalogueOf(file as Static<typeof CatalogueFile>), faults: [], furtherFaults: 0 }
}

/** The entries of a catalogue file, with defaults for what it leaves out. */
export const catalogueOf = ({ currencies = [], providers = [] }: Static<typeof CatalogueFile>) => ({
  currencies: currencies.map(currencyOf),
  providers: providers.map(providerOf),
})

class FaultList {
  readonly #faults: string[] = []
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  add(sentence: string): void {
    this.#count++
    if (this.#count <= CATALOGUE_FAULTS_MAX) this.#faults.push(sentence)
  }

  addAll(sentences: Iterable<string>): void {
    for (const sentence of sentences) this.add(sentence)
  }

  reading(): CatalogueReading {
    const furtherFaults = this.#count - this.#faults.length
    return { currencies: [], providers: [], faults: this.#faults, furtherFaults }
  }
}

function* repeated({ currencies = [], providers = [] }: Static<typeof CatalogueFile>) {
  yield* repeatedNames(
    currencies.map(({ code }) => code.toUpperCase()),
    (i) => `currencies[${i}].code`,
  )
  yield* repeatedNames(
    providers.map(({ id }) => id),
    (i) => `providers[${i}].id`,
  )
}

function* repeatedNames(names: readonly string[], placeOf: (index: number) => string) {
  const first = new Map<string, number>()
  for (const [index, name] of names.entries()) {
    const earlier = first.get(name)
    if (earlier === undefined) first.set(name, index)
    else yield `${placeOf(index)} ${name} is the same as ${placeOf(earlier)}`
  }
}

const currencyOf = (currency: Static<typeof CurrencyInFile>): Currency => ({
  code: currency.code.toUpperCase(),
  name: currency.name.trim(),
  type: currency.type ?? 'both',
  kind: currency.kind ?? 'fiat',
  flagUrl: currency.flag_url ?? null,
  minorUnits: currency.minor_units ?? null,
  isActive: currency.is_active ?? true,
  sortOrder: currency.sort_order ?? 0,
  peg: currency.peg ? { to: currency.peg.to.toUpperCase(), rate: currency.peg.rate } : null,
})

const providerOf = (provider: Static<typeof ProviderInFile>): Provider => ({
  id: provider.id,
  name: provider.name.trim(),
  logoUrl: provider.logo_url ?? null,
  websiteUrl: provider.website_url ?? null,
  providerType: provider.provider_type ?? null,
  rateType: provider.rate_type ?? 'retail',
  region: provider.region ?? null,
  timeZone: provider.time_zone ?? null,
  transferTime: provider.transfer_time ?? null,
  paymentMethods: provider.payment_methods ?? null,
  isActive: provider.is_active ?? true,
})
