import {
  ACTIVE_KEYS_MAX,
  DAILY_KEYS_MAX,
  isRevoked,
  KEY_NAME_LENGTH_MAX,
  KEY_ORIGINS_MAX,
  type Key,
} from '~/domain/account.ts'
import { isConnection } from '~/domain/api-key.ts'
import type { Route } from '~/http/route.ts'
import type { AlertPageDeps } from '~/portal/alert/member-routes.ts'
import { KEYS_ID, PATHS } from '~/portal/paths.ts'
import type { Words } from '~/portal/words/words.ts'
import { listAlerts } from '~/service/alert/list.ts'
import {
  createOwnKey,
  type NewOwnKey,
  OVERLAPS_MS,
  type Owner,
  type OwnKeysDeps,
  replaceOwnKey,
  revokeOwnKey,
} from '~/service/own-keys.ts'
import { type OwnUsageDeps, ownUsageOf } from '~/service/own-usage.ts'
import { disconnectPage } from './connections.tsx'
import { developerPage, type Said } from './developer.tsx'
import { isOverlap, replacePage, revokePage } from './key-pages.tsx'
import { type Member, type MemberForm, memberPages } from './member-pages.ts'
import { newKeyPage, programKeyPage, replacedKeyPage } from './new-key-page.tsx'
import type { PageAnswer, PageRequestDeps } from './page-request.tsx'
import { programOf } from './program-setups.ts'

export type DeveloperDeps = PageRequestDeps &
  OwnKeysDeps &
  OwnUsageDeps &
  Pick<AlertPageDeps, 'alerting'> & {
    /** The address where people find the service, for texts that they copy. */
    readonly home: () => string
  }

/** Pages and actions of a signed-in person for the keys of the account. */
export function developerRoutes(deps: DeveloperDeps): Route[] {
  const page = memberPages(deps)
  return [
    ...page(PATHS.developer, { get: (_, member) => area(deps, member) }),
    ...page(PATHS.keys, { get: () => ({ redirect: PATHS.developer }), post: create }),
    ...page(PATHS.revoke, {
      get: (_, member) => {
        const { words, nowMs } = member.pageRequest
        return ofKey(deps, member, (key) => ({
          page: isConnection(key) ? disconnectPage(words, key) : revokePage(words, key, nowMs),
        }))
      },
      post: revoke,
    }),
    ...page(PATHS.replace, {
      get: (_, member) =>
        ofKey(deps, member, (key) =>
          isConnection(key)
            ? { redirect: PATHS.developer }
            : { page: replacePage(member.pageRequest.words, key) },
        ),
      post: replace,
    }),
  ]
}

const ownerOf = ({ pageRequest, person }: Member): Owner => ({
  accountId: person.account.id,
  email: person.account.email,
  actor: person.email,
  nowMs: pageRequest.nowMs,
})

const NOTES = ['revoked', 'disconnected', 'inside'] as const

async function area(
  deps: DeveloperDeps,
  { pageRequest, person }: Member,
  said: Said | null = null,
): Promise<PageAnswer> {
  const { account } = person
  const [usage, alerts] = await Promise.all([
    ownUsageOf(deps, { account, nowMs: pageRequest.nowMs }),
    listAlerts(deps.alerting, { account }),
  ])
  const { limits } = deps.metering
  const known = NOTES.find((one) => one === pageRequest.url.searchParams.get('said'))
  const notice = known && pageRequest.words.say(`key-news.${known}`)
  const own = { pageRequest, person, usage, alerts, limits }
  return { page: developerPage({ ...own, home: deps.home(), said: said ?? { notice } }) }
}

/** The page of a person's key that is in use; any other key leads back. */
function ofKey(
  deps: DeveloperDeps,
  { pageRequest, person }: Member,
  answer: (key: Key) => PageAnswer,
): PageAnswer {
  const id = pageRequest.url.searchParams.get('key')
  const own = deps.memory.current.keys.keysOf(person.account.id)
  const key = own.find((one) => one.id === id && !isRevoked(one, pageRequest.nowMs))
  return key ? answer(key) : { redirect: PATHS.developer }
}

/** The limit that a refusal names. */
const MOST: Readonly<Partial<Record<Refusal, number>>> = {
  no_name: KEY_NAME_LENGTH_MAX,
  no_origins: KEY_ORIGINS_MAX,
  too_many: ACTIVE_KEYS_MAX,
  too_often: DAILY_KEYS_MAX,
}

type Refusal = Extract<NewOwnKey, { refusal: unknown }>['refusal']

const refusalText = ({ say }: Words, refusal: Refusal): string =>
  say(`key-refusal.${refusal}`, { most: MOST[refusal] ?? 0, example: 'https://shop.example' })

const create: MemberForm<DeveloperDeps> = async (deps, member, form) => {
  const { words } = member.pageRequest
  const name = form.text('name')
  const use = form.text('use')
  const program = programOf(use)
  const origins = form.text('origins')
  const asked = { name, isReadOnly: Boolean(program), origins }
  const made = await createOwnKey(deps, ownerOf(member), asked)
  if ('refusal' in made) {
    const fault = refusalText(words, made.refusal)
    const said = made.refusal === 'no_origins' ? { originsFault: fault } : { nameFault: fault }
    return area(deps, member, { ...said, name, use, origins })
  }
  const shown = { key: made.text, name: made.name, home: deps.home() }
  return { page: program ? programKeyPage(words, shown, program) : newKeyPage(words, shown) }
}

const revoke: MemberForm<DeveloperDeps> = async (deps, member, form) => {
  const keyId = form.text('key')
  const isRevokedNow = await revokeOwnKey(deps, ownerOf(member), keyId)
  if (!isRevokedNow)
    return area(deps, member, { complaint: refusalText(member.pageRequest.words, 'unknown') })
  const own = deps.memory.current.keys.keysOf(member.person.account.id)
  const isApplication = own.some((key) => key.id === keyId && isConnection(key))
  const said = isApplication ? 'disconnected' : 'revoked'
  return { redirect: `${PATHS.developer}?said=${said}#${KEYS_ID}` }
}

const replace: MemberForm<DeveloperDeps> = async (deps, member, form) => {
  const { words } = member.pageRequest
  const overlap = form.text('overlap')
  if (!isOverlap(overlap))
    return area(deps, member, { complaint: words.say('key-refusal.overlap') })
  const owner = ownerOf(member)
  const made = await replaceOwnKey(deps, owner, { keyId: form.text('key'), overlap })
  if ('refusal' in made) return area(deps, member, { complaint: refusalText(words, made.refusal) })
  const endsMs = owner.nowMs + OVERLAPS_MS[overlap]
  return {
    page: replacedKeyPage(words, { key: made.text, name: made.name, endsMs, home: deps.home() }),
  }
}
