import type { Activity, ActivityChange } from '~/domain/activity.ts'
import { type Currency, USD } from '~/domain/currency.ts'
import { Anchors } from '~/domain/price/anchors.ts'
import type { Catalogue, Provider } from '~/domain/provider.ts'
import { compareText } from '~/domain/rank.ts'

const NONE: readonly ActivityChange[] = []

/** Every currency and provider at one time. Immutable: a change creates a new index. */
export class CatalogueIndex {
  /** The active currencies by sort order, then code. */
  readonly currencies: readonly Currency[]
  /** The active providers by name, then id. */
  readonly providers: readonly Provider[]
  /** Codes of the active currencies, in alphabetical order. */
  readonly supportedCodes: readonly string[]
  /** Whose references price each currency, active or not. */
  readonly anchors: Anchors
  /**
   * The currencies requested from feeds: those in use, in the order of `currencies`, then their
   * anchors that are not in use themselves. The dollar needs no reference.
   */
  readonly referenceCodes: readonly string[]
  /** Number of times that any provider was switched on or off. */
  readonly changes: number
  readonly #changesById: ReadonlyMap<string, readonly ActivityChange[]>
  readonly #currencyByCode: ReadonlyMap<string, Currency>
  readonly #anyCurrencyByCode: ReadonlyMap<string, Currency>
  readonly #providerById: ReadonlyMap<string, Provider>
  readonly #anyProviderById: ReadonlyMap<string, Provider>

  constructor({ activity = [], ...all }: Catalogue) {
    this.changes = activity.length
    this.#changesById = Map.groupBy(activity, ({ providerId }) => providerId)
    this.currencies = all.currencies
      .filter(({ isActive }) => isActive)
      .sort((a, b) => a.sortOrder - b.sortOrder || compareText(a.code, b.code))
    this.providers = all.providers
      .filter(({ isActive }) => isActive)
      .sort((a, b) => compareText(a.name, b.name) || compareText(a.id, b.id))
    this.supportedCodes = this.currencies.map(({ code }) => code).sort(compareText)
    this.anchors = new Anchors(all.currencies)
    const fiat = this.currencies.filter(({ kind }) => kind === 'fiat').map(({ code }) => code)
    const anchors = fiat.map((code) => this.anchors.of(code)!)
    this.referenceCodes = [...new Set([...fiat, ...anchors])].filter((code) => code !== USD)
    this.#currencyByCode = new Map(this.currencies.map((currency) => [currency.code, currency]))
    this.#anyCurrencyByCode = new Map(all.currencies.map((one) => [one.code, one]))
    this.#providerById = new Map(this.providers.map((provider) => [provider.id, provider]))
    this.#anyProviderById = new Map(all.providers.map((provider) => [provider.id, provider]))
  }

  static empty = new CatalogueIndex({ currencies: [], providers: [] })

  currency(code: string): Currency | undefined {
    return this.#currencyByCode.get(code)
  }

  /** The currency with this code, active or not: a fee may be charged in one that is not. */
  anyCurrency(code: string): Currency | undefined {
    return this.#anyCurrencyByCode.get(code)
  }

  provider(id: string): Provider | undefined {
    return this.#providerById.get(id)
  }

  /** The provider with this id, active or not: history keeps the quotes of inactive ones. */
  anyProvider(id: string): Provider | undefined {
    return this.#anyProviderById.get(id)
  }

  /** The activity of a provider; one that the catalogue does not know yet is new, and active. */
  activityOf = (id: string): Activity => ({
    isActive: this.anyProvider(id)?.isActive ?? true,
    changes: this.#changesById.get(id) ?? NONE,
  })
}
