/** The path of the public address, such as `/fx`, or empty: our own addresses begin with it. */
export const mountOf = (publicUrl: string | null): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')

/**
 * Possible prefixes of requests' paths: none, from a proxy that strips the mount, and the mount,
 * from one that passes it on. A mount that starts like one of our own paths has to be stripped:
 * `/docs/openapi.json` could be either.
 */
export function prefixesOf(mount: string, own: readonly string[]): readonly string[] {
  const taken = own.map(firstPart)
  return mount === '' || taken.includes(firstPart(mount)) ? [''] : ['', mount]
}

const firstPart = (path: string): string | undefined => path.split('/')[1]
