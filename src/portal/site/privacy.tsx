/** @jsxImportSource preact */
import type { Route } from '~/http/route.ts'
import { spanText } from '~/portal/format.ts'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type PublicDeps, publicPage } from '~/portal/public-page.tsx'

type Deps = PublicDeps & {
  /** Ends a session after so long without use; null if the service has no sign-in. */
  readonly sessionIdleMs: number | null
}

/** The page that says what is kept of people, and for how long. */
export const privacyRoutes = (deps: Deps): Route[] => [
  {
    method: 'GET',
    path: PATHS.privacy,
    handle: publicPage(deps, PATHS.privacy, () => privacyPage(deps.sessionIdleMs)),
  },
]

type Fact = { readonly what: string; readonly why: string; readonly until: string }

const VISITOR: readonly Fact[] = [
  {
    what: 'The address that your request comes from',
    why: 'To bound how much one address may ask. It stays in memory.',
    until: 'About a minute',
  },
  {
    what: 'A cookie with a random value, on pages with a form',
    why: 'To accept forms only from the page that you opened.',
    until: 'Until you close the browser',
  },
]

const factsOf = (idleMs: number): readonly Fact[] => [...signInFacts(idleMs), ...USE_FACTS]

const signInFacts = (idleMs: number): readonly Fact[] => [
  {
    what: 'Your e-mail address',
    why: 'You sign in with it, and mails about your account go there.',
    until: 'Until you delete the account; a week if you never confirm it',
  },
  {
    what: 'Your password, as a salted hash; passkeys, by their public keys; authenticator app',
    why: 'To sign you in.',
    until: 'Until you change or remove them',
  },
  {
    what: 'Sessions: when they began and were last used, and the name of the browser',
    why: 'To keep you signed in, and to show you where you are.',
    until: `A week, or ${spanText(idleMs)} without use`,
  },
  {
    what: 'How often a sign-in to your account was tried, under a code that does not name you',
    why: 'To stop guessing.',
    until: 'An hour at most',
  },
  {
    what: 'A cookie that your browser is known by',
    why: 'So that people who guess at your password do not lock you out.',
    until: '400 days in your browser; we keep nothing of it',
  },
]

const USE_FACTS: readonly Fact[] = [
  {
    what: 'Keys as hashes, with their names and last characters, and their requests by day',
    why: 'To let programs in, and to count requests.',
    until: 'Until you delete the account; the counts stay without your address',
  },
  {
    what: 'Applications that you connected',
    why: 'To let them ask for you.',
    until: 'Until you disconnect them, or 180 days after you allowed them at the latest',
  },
  {
    what: 'Alerts, and what they sent',
    why: 'To send them.',
    until: 'Until you delete them; what they sent for 30 days',
  },
  {
    what: 'Changes of your account and keys: who made them, and when',
    why: 'So that every change of an account can be traced.',
    until: 'For good; your address goes from it when you delete the account',
  },
  {
    what: 'Prices that you record, with the id of your account',
    why: 'They are the data of this service.',
    until:
      'As long as the service keeps prices; after you delete the account, it does not lead to you',
  },
]

const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl class="terms">
    {facts.map(({ what, why, until }) => (
      <div key={what}>
        <dt>{what}</dt>
        <dd>
          {why} Kept: {until.charAt(0).toLowerCase() + until.slice(1)}.
        </dd>
      </div>
    ))}
  </dl>
)

const privacyPage = (sessionIdleMs: number | null): Page => ({
  title: 'Privacy',
  path: PATHS.privacy,
  description: 'What this service keeps of people, why, and for how long.',
  body: (
    <article class="stack prose">
      <div class="stack-tight">
        <h1>Privacy</h1>
        <p class="lead">What is kept of you, why, and for how long.</p>
      </div>
      <section class="stack-tight" aria-labelledby="visitors">
        <h2 id="visitors">If you only look</h2>
        <Facts facts={VISITOR} />
        <p>No page loads anything from elsewhere, and you are not tracked from page to page.</p>
      </section>
      {sessionIdleMs !== null && (
        <section class="stack-tight" aria-labelledby="members">
          <h2 id="members">If you have an account</h2>
          <Facts facts={factsOf(sessionIdleMs)} />
          <p>
            <a href={PATHS.profile}>Your profile</a> lists your sessions, has all of this as a file,
            and deletes your account. Backups hold what was kept when they were made, for as long as
            whoever runs this service keeps them.
          </p>
        </section>
      )}
    </article>
  ),
})
