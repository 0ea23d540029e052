/** @jsxImportSource preact */
import {
  ACTIVE_KEYS_MAX,
  DAILY_KEYS_MAX,
  isRevoked,
  KEY_NAME_RULE,
  KEY_ORIGINS_RULE,
  type Key,
} from '~/domain/account.ts'
import { isConnection } from '~/domain/api-key.ts'
import type { Route } from '~/http/route.ts'
import type { AlertPageDeps } from '~/portal/alert/member-routes.ts'
import { momentText } from '~/portal/format.ts'
import { KEYS_ID, PATHS } from '~/portal/paths.ts'
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
import { newKeyPage, programKeyPage, replacedKeyPage } from './new-key-page.tsx'
import {
  type FormFields,
  type PageAnswer,
  type PageRequest,
  type PageRequestDeps,
  type Person,
  personRoutes,
} from './page-request.tsx'
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
  return [
    ...personRoutes(deps, PATHS.developer, {
      get: (pageRequest) =>
        forMembers(pageRequest, (person) => area(deps, { pageRequest, person })),
    }),
    ...personRoutes(deps, PATHS.keys, {
      get: () => ({ redirect: PATHS.developer }),
      post: (pageRequest, form) =>
        forMembers(pageRequest, (person) => create(deps, { pageRequest, person }, form)),
    }),
    ...personRoutes(deps, PATHS.revoke, {
      get: (pageRequest) =>
        forMembers(pageRequest, (person) =>
          ofKey(deps, { pageRequest, person }, (key) => ({
            page: (isConnection(key) ? disconnectPage : revokePage)(pageRequest, key),
          })),
        ),
      post: (pageRequest, form) =>
        forMembers(pageRequest, (person) => revoke(deps, { pageRequest, person }, form)),
    }),
    ...personRoutes(deps, PATHS.replace, {
      get: (pageRequest) =>
        forMembers(pageRequest, (person) =>
          ofKey(deps, { pageRequest, person }, (key) =>
            isConnection(key)
              ? { redirect: PATHS.developer }
              : { page: replacePage(pageRequest, key) },
          ),
        ),
      post: (pageRequest, form) =>
        forMembers(pageRequest, (person) => replace(deps, { pageRequest, person }, form)),
    }),
  ]
}

type Reply = PageAnswer | Promise<PageAnswer>
type Member = { readonly pageRequest: PageRequest; readonly person: Person }

const forMembers = ({ person }: PageRequest, answer: (person: Person) => Reply): Reply =>
  person ? answer(person) : { redirect: PATHS.signIn }

const ownerOf = ({ pageRequest, person }: Member): Owner => ({
  accountId: person.account.id,
  email: person.account.email,
  actor: person.email,
  nowMs: pageRequest.nowMs,
})

/** The notices that an address can show. */
const NEWS: ReadonlyMap<string | null, string> = new Map([
  ['revoked', 'Key revoked. It no longer works.'],
  ['disconnected', 'Application disconnected. It no longer has access.'],
  [
    'inside',
    'You are signed in. A key is shown only once; if you did not copy yours, replace it here.',
  ],
])

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
  const news = NEWS.get(pageRequest.url.searchParams.get('said'))
  const own = { pageRequest, person, usage, alerts, limits }
  return { page: developerPage({ ...own, home: deps.home(), said: said ?? { news } }) }
}

/** The page of a member's key that is in use; any other key leads back. */
function ofKey(
  deps: DeveloperDeps,
  { pageRequest, person }: Member,
  answer: (key: Key) => Reply,
): Reply {
  const id = pageRequest.url.searchParams.get('key')
  const own = deps.memory.current.keys.keysOf(person.account.id)
  const key = own.find((one) => one.id === id && !isRevoked(one, pageRequest.nowMs))
  return key ? answer(key) : { redirect: PATHS.developer }
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  no_name: `A name has ${KEY_NAME_RULE}.`,
  no_origins: `Only a key for mids can be limited to pages: ${KEY_ORIGINS_RULE}.`,
  name_taken:
    'A key of that name is in use. If you have just created it and lost it, revoke or ' +
    'replace it above. Otherwise choose another name.',
  too_many: `There are ${ACTIVE_KEYS_MAX} keys already. Revoke one that you no longer need.`,
  too_often: `${DAILY_KEYS_MAX} keys were created in a day. Try again tomorrow.`,
  unknown: 'That key is no longer in use.',
  ending:
    'That key is being replaced already. If you have just created the new one and lost it, ' +
    'revoke or replace that one below.',
}

type Refusal = Extract<NewOwnKey, { refusal: unknown }>['refusal']

async function create(deps: DeveloperDeps, member: Member, form: FormFields): Promise<PageAnswer> {
  const name = form.text('name')
  const use = form.text('use')
  const program = programOf(use)
  const origins = form.text('origins')
  const asked = { name, isReadOnly: Boolean(program), origins }
  const made = await createOwnKey(deps, ownerOf(member), asked)
  if ('refusal' in made) {
    const fault = REFUSALS[made.refusal]
    const said = made.refusal === 'no_origins' ? { originsFault: fault } : { nameFault: fault }
    return area(deps, member, { ...said, name, use, origins })
  }
  const shown = { key: made.text, name: made.name, home: deps.home() }
  return { page: program ? programKeyPage({ ...shown, program }) : newKeyPage(shown) }
}

async function revoke(deps: DeveloperDeps, member: Member, form: FormFields): Promise<PageAnswer> {
  const keyId = form.text('key')
  const isRevokedNow = await revokeOwnKey(deps, ownerOf(member), keyId)
  if (!isRevokedNow) return area(deps, member, { complaint: REFUSALS.unknown })
  const own = deps.memory.current.keys.keysOf(member.person.account.id)
  const isApplication = own.some((key) => key.id === keyId && isConnection(key))
  const said = isApplication ? 'disconnected' : 'revoked'
  return { redirect: `${PATHS.developer}?said=${said}#${KEYS_ID}` }
}

async function replace(deps: DeveloperDeps, member: Member, form: FormFields): Promise<PageAnswer> {
  const overlap = form.text('overlap')
  if (!isOverlap(overlap)) return area(deps, member, { complaint: 'Choose how long.' })
  const owner = ownerOf(member)
  const made = await replaceOwnKey(deps, owner, { keyId: form.text('key'), overlap })
  if ('refusal' in made) return area(deps, member, { complaint: REFUSALS[made.refusal] })
  const ends = momentText(owner.nowMs + OVERLAPS_MS[overlap])
  return {
    page: replacedKeyPage({ key: made.text, name: made.name, ends, home: deps.home() }),
  }
}
