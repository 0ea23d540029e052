/** @jsxImportSource preact */
import type { Provider } from '~/domain/provider.ts'

/** The way to the provider's own site; nothing where nobody said where that is. */
export function Website({ provider: { name, websiteUrl } }: { provider: Provider }) {
  if (websiteUrl === null) return null
  return (
    <a href={websiteUrl} rel="noopener nofollow">
      Website<span class="visually-hidden"> of {name}</span>
    </a>
  )
}
