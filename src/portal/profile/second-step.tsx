import type { Route } from '~/http/route.ts'
import { type EntranceDeps, enteredReply } from '~/portal/member/entrance-routes.tsx'
import {
  type FormAnswer,
  type PageAnswer,
  type PageRequest,
  personRoutes,
} from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { signInFirst, wayOnIn } from '~/portal/member/way-on.ts'
import { narrowPage } from '~/portal/narrow-page.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { Words } from '~/portal/words/words.ts'
import { enterByPasskey, enterCode, type SecondFactorDeps } from '~/service/person/second-factor.ts'
import { CodeField } from './fields.tsx'
import { credentialIn, optionsReply, PasskeySignIn } from './passkey.tsx'

export type SecondStepDeps = EntranceDeps & SecondFactorDeps

/** The step of a sign-in after the password, and the sign-in by a passkey alone. */
export const secondStepRoutes = (deps: SecondStepDeps): Route[] => [
  ...personRoutes(deps, PATHS.secondStep, {
    get: (_, pageRequest) =>
      shown(deps, pageRequest, { next: nextIn(pageRequest.url.searchParams.get('next') ?? '') }),
    post: codeReply,
  }),
  ...personRoutes(deps, PATHS.passkeySignInOptions, {
    post: async () => optionsReply(await deps.passkeys.signInChallenge()),
  }),
  ...personRoutes(deps, PATHS.passkeySignIn, {
    get: () => ({ redirect: PATHS.signIn }),
    post: passkeyReply,
  }),
]

type StepForm = FormAnswer<SecondStepDeps, PageRequest>

const nextIn = (text: string): string => wayOnIn(new URLSearchParams({ next: text }))

async function shown(
  deps: SecondStepDeps,
  { request, nowMs, words }: PageRequest,
  { next, fault }: { next: string; fault?: string },
): Promise<PageAnswer> {
  const pending = await deps.codes.pending(request.headers, nowMs)
  if (!pending) return signInFirst(next)
  const { hasApp, passkeys } = await deps.factors.factors(pending.userId)
  return { page: secondStepPage(words, { hasApp, hasPasskey: passkeys.length > 0, next, fault }) }
}

const codeReply: StepForm = async (deps, pageRequest, form) => {
  const { headers } = pageRequest.request
  const next = nextIn(form.text('next'))
  const entry = await enterCode(deps, { code: form.text('code'), headers }, pageRequest)
  if (entry === 'stale') return signInFirst(next)
  if (typeof entry !== 'string') return enteredReply(deps, pageRequest, { ...entry, next })
  return shown(deps, pageRequest, { next, fault: pageRequest.words.say(`second-step.${entry}`) })
}

const passkeyReply: StepForm = async (deps, pageRequest, form) => {
  const credential = credentialIn(form)
  const next = nextIn(form.text('next'))
  const { headers } = pageRequest.request
  const entry = credential && (await enterByPasskey(deps, { credential, headers }, pageRequest))
  if (entry) return enteredReply(deps, pageRequest, { ...entry, next })
  const said = new URLSearchParams({ said: 'passkey', ...(next && { next }) })
  return { redirect: `${PATHS.signIn}?${said}` }
}

type Shown = {
  readonly hasApp: boolean
  readonly hasPasskey: boolean
  readonly next: string
  readonly fault: string | undefined
}

const secondStepPage = ({ say }: Words, { hasApp, hasPasskey, next, fault }: Shown): Page =>
  narrowPage({
    title: say('second-step.title'),
    path: PATHS.secondStep,
    scripts: ['passkey'],
    status: fault ? 400 : 200,
    children: (
      <>
        <p class="lead">{say('second-step.lead')}</p>
        {hasPasskey && <PasskeySignIn next={next} />}
        {hasApp && (
          <TokenForm
            action={PATHS.secondStep}
            send={say('sign-in.title')}
            hidden={next ? { next } : {}}
          >
            <CodeField error={fault} hint={say('second-step.hint')} />
          </TokenForm>
        )}
        <p class="muted small">{say('second-step.lost')}</p>
      </>
    ),
  })
