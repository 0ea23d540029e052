import { ServiceError } from '~/domain/errors.ts'

/** The maximum number of errors that are reported. */
const FAULTS_MAX = 20

/** Collects what is wrong with arguments, so that all of it is said at once. */
export class Faults {
  readonly #errors: ServiceError[] = []

  get isEmpty(): boolean {
    return this.#errors.length === 0
  }

  /** Does the work; what it throws for the caller counts as a fault, and then this is null. */
  attempt<T>(work: () => T): T | null {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      this.#errors.push(error)
      return null
    }
  }

  /** Reports whether one of these arguments is invalid. */
  has(names: readonly string[]): boolean {
    return this.#errors.some(({ details }) => names.includes(details.parameter as string))
  }

  /** Throws the only fault as it is, and several as one error that names each; none is fine. */
  throw(): void {
    const [first] = this.#errors
    if (first === undefined) return
    if (this.#errors.length === 1) throw first
    const told = this.#errors.slice(0, FAULTS_MAX)
    const names = [...new Set(told.map(({ details }) => details.parameter as string))]
    const rest = this.#errors.length - told.length
    const more = rest > 0 ? `, and ${rest} more` : ''
    throw new ServiceError(
      first.code,
      `${names.join(', ')}${more} cannot be used; \`faults\` says what is wrong with each`,
      {
        ...supportedOf(told),
        parameter: names[0],
        faults: told.map(({ code, message, details: { parameter } }) => ({
          parameter,
          code,
          error: message,
        })),
      },
    )
  }
}

/** The supported currencies, where one of the faults lists them. */
function supportedOf(errors: readonly ServiceError[]): object {
  const lists = errors.map(({ details }) => details.supported_currencies)
  const list = lists.find((one) => one !== undefined)
  return list === undefined ? {} : { supported_currencies: list }
}
