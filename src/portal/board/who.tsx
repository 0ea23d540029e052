import { PLAIN } from '~/domain/offer/terms.ts'
import type { Suspicion } from '~/domain/price/suspect.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { Logo } from '~/portal/providers/logo.tsx'
import { providerPath } from '~/portal/providers/path.ts'
import { Website } from '~/portal/providers/website.tsx'
import { Name, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import type { Conversion } from '~/service/convert.ts'
import { plainWords, typeText } from './kinds.ts'
import { namedCountries, offerWords, pricedAt, severalText } from './offer-text.ts'

type Props = {
  readonly entry: Conversion
  /** Its place in the list; null if it has none. */
  readonly place: number | null
  readonly isBest: boolean
  /** Says whether the page is about two countries, which it then names itself. */
  readonly isPair: boolean
  /** Evidence of the price, if it is shown here. */
  readonly standing: string | null
  /** Unstated conditions of the price, if they are shown here. */
  readonly silence: string | null
}

export function Who(props: Props) {
  const { words, say } = useWords()
  const { entry, place, isBest } = props
  const { provider, suspect, quote } = entry.ranked
  const countries = props.isPair ? null : namedCountries(words, quote.offer ?? PLAIN)
  return (
    <div class="who">
      <span class="place">{place ?? '\u00a0'}</span>
      <Logo provider={provider} />
      <span>
        <a href={providerPath(provider.id)}>
          <Name>{provider.name}</Name>
        </a>{' '}
        {isBest && (
          <>
            <span class="tag tag-good">
              {countries ? say('who.best-of', { countries }) : say('who.best')}
            </span>{' '}
          </>
        )}
        <SuspectTag suspect={suspect} />
        <span class="aside">
          {aboutText(words, props)} <Website provider={provider} />
        </span>
      </span>
    </div>
  )
}

/**
 * The provider's type, the offer, and the source of its price. An offer's speed and payment replace
 * the description of the provider; the provider's own words on speed, which are in English, are for
 * English alone.
 */
function aboutText(words: Words, { entry, isPair, standing, silence }: Props): string {
  const { language, say } = words
  const { provider, quote } = entry.ranked
  const { providerType, transferTime, paymentMethods } = provider
  const offer = quote.offer ?? PLAIN
  const { payIn, payOut, deliveryMinMs, deliveryMaxMs } = offer
  const isTimed = deliveryMinMs !== null || deliveryMaxMs !== null
  const isPaid = payIn !== null || payOut !== null
  const amount = pricedAt(words, entry)
  const isNear = entry.match?.match === 'nearest'
  const parts = [
    typeText(words, providerType),
    standing,
    ...offerWords(words, offer, isPair),
    !isTimed &&
      language === 'en' &&
      transferTime &&
      say('who.takes', { time: lowerFirst(transferTime) }),
    !isPaid &&
      paymentMethods?.length &&
      say('who.paid-by', { ways: waysText(words, paymentMethods) }),
    amount && say(isNear ? 'who.nearest' : 'who.alone', { amount }),
    severalText(words, offer),
    silence,
  ]
  return parts.filter(Boolean).join(' · ')
}

const waysText = (words: Words, methods: readonly string[]): string =>
  methods.map((method) => plainWords(words, method)).join(words.say('list.comma'))

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** The mark of a price that is far from its mid; nothing for any other. */
export function SuspectTag({ suspect }: Pick<RankedQuote, 'suspect'>) {
  const words = useWords()
  if (!suspect) return null
  return (
    <>
      <span class="tag tag-warn">
        {words.say('who.suspect', { reason: suspectText(words, suspect) })}
      </span>{' '}
    </>
  )
}

const DECIMALS = 10

/** Distance of a rate from its mid, in words that follow "suspect". */
function suspectText({ say, plainPercentText }: Words, suspicion: Suspicion): string {
  const { offPct, isOfDay } = suspicion
  const off = plainPercentText(Math.round(Math.abs(offPct) * DECIMALS) / DECIMALS)
  const side = offPct > 0 ? 'above' : 'below'
  return say(isOfDay ? `suspect.${side}-day` : `suspect.${side}-current`, { off })
}
