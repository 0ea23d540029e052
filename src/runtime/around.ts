type Around = <T>(ask: () => Promise<T>) => Promise<T>

/** Wraps a store so that its methods, or those with these names, are called by `way`. */
export function around<S extends object>(
  store: S,
  way: Around,
  names: readonly (keyof S)[] = Object.keys(store) as (keyof S)[],
): S {
  const changed = { ...store }
  for (const name of names) {
    const ask = store[name] as (...args: unknown[]) => unknown
    changed[name] = ((...args: unknown[]) => way(async () => ask(...args))) as S[keyof S]
  }
  return changed
}
