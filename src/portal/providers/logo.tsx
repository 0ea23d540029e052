import type { Provider } from '~/domain/provider.ts'

/** A provider's logo if it is among our own files, as pages load no others; else initials. */
export function Logo({ provider: { name, logoUrl } }: { provider: Provider }) {
  if (logoUrl?.startsWith('/') && !logoUrl.startsWith('//'))
    return <img class="logo" src={logoUrl} alt="" width="32" height="32" loading="lazy" />
  return <span class="logo" data-initials={initialsOf(name)} aria-hidden="true" />
}

/** The first letters of a name's first two words, in upper case; one if it has one word. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join('')
}
