import type { Provider } from '~/domain/provider.ts'
import { useWords } from '~/portal/words/spoken.tsx'

/** The way to the provider's own site; nothing if it is not known. */
export function Website({ provider: { name, websiteUrl } }: { provider: Provider }) {
  const { say } = useWords()
  if (websiteUrl === null) return null
  return (
    <a href={websiteUrl} rel="noopener nofollow">
      {say('provider.website')}
      <span class="visually-hidden"> {name}</span>
    </a>
  )
}
