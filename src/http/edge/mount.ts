/**
 * The path below which people find the service, by its public address: such as `/fx`, or nothing.
 * All that the service writes as an address of its own begins with it.
 */
export const mountOf = (publicUrl: string | null): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')

/**
 * What the paths of requests begin with: nothing, as from a proxy that takes the mount off, and the
 * mount, as from one that passes it on. A mount that begins as a path of ours does has to be taken
 * off: `/docs/openapi.json` could be either.
 */
export function prefixesOf(mount: string, own: readonly string[]): readonly string[] {
  const taken = own.map(firstPart)
  return mount === '' || taken.includes(firstPart(mount)) ? [''] : ['', mount]
}

const firstPart = (path: string): string | undefined => path.split('/')[1]
