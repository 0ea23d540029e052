import type { Provider } from '~/domain/provider.ts'
import { Names } from './names.ts'

/** Finds providers by id or by name. */
export const providerNames = (providers: readonly Pick<Provider, 'id' | 'name'>[]): Names =>
  new Names(providers.map(({ id, name }) => ({ id, names: [name] })))
