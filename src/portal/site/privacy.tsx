import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type PublicDeps, publicPage } from '~/portal/public-page.tsx'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'

type Deps = PublicDeps & {
  /** Ends a session after so long without use; null if the service has no sign-in. */
  readonly sessionIdleMs: number | null
}

/** The page that says which data of people is stored, and for how long. */
export const privacyRoute = (deps: Deps) =>
  publicPage(deps, PATHS.privacy, ({ words }) => privacyPage(words, deps.sessionIdleMs))

/** Stored data, each with its reason and duration. */
const VISITOR = ['address', 'form-cookie', 'language', 'pages'] as const

const MEMBER = [
  ...(['email', 'password', 'sessions', 'attempts', 'devices', 'keys', 'applications'] as const),
  ...(['alerts', 'changes', 'prices', 'uploads'] as const),
] as const

type Fact = (typeof VISITOR)[number] | (typeof MEMBER)[number]

type FactsProps = { readonly facts: readonly Fact[]; readonly idle?: string }

function Facts({ facts, idle = '' }: FactsProps) {
  const { say } = useWords()
  return (
    <dl class="terms">
      {facts.map((fact) => (
        <div key={fact}>
          <dt>{say(`privacy-what.${fact}`)}</dt>
          <dd>
            {say(`privacy-why.${fact}`)}{' '}
            {say('privacy.kept', { until: say(`privacy-until.${fact}`, { idle }) })}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const privacyPage = (words: Words, sessionIdleMs: number | null): Page => {
  const { say, rich, spanText } = words
  return {
    title: say('privacy.title'),
    path: PATHS.privacy,
    description: say('privacy.description'),
    body: (
      <article class="stack prose">
        <div class="stack-tight">
          <h1>{say('privacy.title')}</h1>
          <p class="lead">{say('privacy.lead')}</p>
        </div>
        <section class="stack-tight" aria-labelledby="visitors">
          <h2 id="visitors">{say('privacy.visitors')}</h2>
          <Facts facts={VISITOR} />
          <p>{say('privacy.untracked')}</p>
        </section>
        {sessionIdleMs !== null && (
          <section class="stack-tight" aria-labelledby="members">
            <h2 id="members">{say('privacy.members')}</h2>
            <Facts facts={MEMBER} idle={spanText(sessionIdleMs)} />
            <p>{rich('privacy.profile', { link: linkTo(PATHS.profile) })}</p>
          </section>
        )}
      </article>
    ),
  }
}
