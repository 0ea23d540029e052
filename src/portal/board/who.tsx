/** @jsxImportSource preact */
import type { Provider } from '~/domain/provider.ts'
import { Logo } from '~/portal/providers/logo.tsx'
import { providerPath } from '~/portal/providers/path.ts'
import { Website } from '~/portal/providers/website.tsx'
import { plainWords, typeText } from './kinds.ts'

type Props = {
  readonly provider: Provider
  /** Its place in the list; null where it has none. */
  readonly place: number | null
  readonly isBest: boolean
  /** What stands behind the price, where it is to be said here. */
  readonly standing: string | null
}

/** The provider of a price, and what stands behind the price. */
export function Who({ provider, place, isBest, standing }: Props) {
  const { id, name } = provider
  return (
    <div class="who">
      <span class="place">{place ?? '\u00a0'}</span>
      <Logo provider={provider} />
      <span>
        <a href={providerPath(id)}>{name}</a>{' '}
        {isBest && (
          <>
            <span class="tag tag-good">best</span>{' '}
          </>
        )}
        <span class="beside">
          {aboutText(provider, standing)} <Website provider={provider} />
        </span>
      </span>
    </div>
  )
}

/** The provider's type, speed and means of payment, and what its price comes from. */
function aboutText(
  { providerType, transferTime, paymentMethods }: Provider,
  standing: string | null,
): string {
  const parts = [
    typeText(providerType),
    standing,
    transferTime && `takes ${lowerFirst(transferTime)}`,
    paymentMethods?.length && `by ${paymentMethods.map(plainWords).join(', ')}`,
  ]
  return parts.filter(Boolean).join(' · ')
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
