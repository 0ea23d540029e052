import { invalidParameter } from '~/domain/errors.ts'
import {
  contentDigest,
  type SignatureWish,
  signatureBase,
  signatureValue,
  signatureWishes,
} from '~/evidence/message-signature.ts'
import type { AccessDeps } from '~/http/access.ts'
import { mountOf } from '~/http/edge/mount.ts'
import { REQUEST_ID_HEADER } from '~/http/edge/request-id.ts'
import { MeteredRequest } from '~/http/metered-request.ts'
import { BASE_PATH } from '~/http/path.ts'
import { type Headers, orError } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import type { RequestScope } from '~/telemetry/request-scope.ts'

/** The fields that identify a JSON Web Key, and its bytes. */
type PublishedKey = { readonly kid: string; readonly x?: string | undefined }

export type AnswerSigner = {
  /** The current key, by the id under which it is published. */
  key(): Promise<{ readonly id: string; sign(bytes: Uint8Array): Uint8Array }>
  jwks(): Promise<readonly PublishedKey[]>
  /** The number of leaves that the log has; null before its first checkpoint. */
  logSize(): number | null
}

export type SigningDeps = AccessDeps & {
  readonly signer: AnswerSigner
  readonly guards: Headers
  readonly publicUrl: string | null
}

const WISH = 'accept-signature'
/** The status of a response without a body. */
const NOT_MODIFIED = 304

/** Makes metered reads sign their response if Accept-Signature requests it; other routes stay. */
export const signing =
  (deps: SigningDeps) =>
  (route: Route): Route => {
    const { method, operation, isEndless, handle } = route
    if (method !== 'GET' || isEndless || !operation?.isMetered) return route
    return {
      ...route,
      handle(request, scope) {
        const wish = request.headers.get(WISH)
        if (wish === null) return handle(request, scope)
        return signed(deps, { request, scope, wish }, async () => handle(request, scope))
      },
    }
  }

type Asked = { readonly request: Request; readonly scope: RequestScope; readonly wish: string }

/** The response with its signatures; a wish that cannot be met is refused, and costs nothing. */
async function signed(
  deps: SigningDeps,
  { request, scope, wish }: Asked,
  answer: () => Promise<Response>,
): Promise<Response> {
  const ids = { ...deps.guards, [REQUEST_ID_HEADER]: scope.id }
  try {
    const key = await deps.signer.key()
    const wishes = wishesIn(wish, key.id)
    const reply = await answer()
    return reply.status === NOT_MODIFIED
      ? reply
      : await withSignatures(deps, reply, { request, wishes, key })
  } catch (error) {
    const metered = new MeteredRequest(deps, request)
    return metered.failed((await metered.begin()) ?? error, ids)
  }
}

type Signing = {
  readonly request: Request
  readonly wishes: readonly SignatureWish[]
  readonly key: Awaited<ReturnType<AnswerSigner['key']>>
}

async function withSignatures(
  { signer, clock, publicUrl }: SigningDeps,
  reply: Response,
  { request, wishes, key }: Signing,
): Promise<Response> {
  const body = new Uint8Array(await reply.arrayBuffer())
  const { status } = reply
  const nowMs = clock.now()
  const [date, digest] = [new Date(nowMs).toUTCString(), contentDigest(body)]
  const targetUri = targetOf(request.url, publicUrl)
  const message = { method: request.method, targetUri, status, date, contentDigest: digest }
  const made = wishes.map((wish) => {
    const signedAs = { wish, keyId: key.id, createdMs: nowMs, logSize: signer.logSize() }
    const { base, input } = signatureBase(message, signedAs)
    return { input, signature: signatureValue(wish.label, key.sign(Buffer.from(base))) }
  })
  const headers = new globalThis.Headers(reply.headers)
  headers.set('date', date)
  headers.set('content-digest', digest)
  headers.set('signature-input', made.map(({ input }) => input).join(', '))
  headers.set('signature', made.map(({ signature }) => signature).join(', '))
  return new Response(body, { status, headers })
}

function wishesIn(text: string, keyId: string): SignatureWish[] {
  const name = 'Accept-Signature'
  let wishes: SignatureWish[]
  try {
    wishes = signatureWishes(text)
  } catch (error) {
    throw invalidParameter({ name, fault: (error as Error).message })
  }
  if (wishes.every((wish) => wish.keyId === null || wish.keyId === keyId)) return wishes
  throw invalidParameter({ name, fault: `it requests another key than ${keyId}` })
}

/** The address that the caller requested; with a public address, the one below that. */
function targetOf(url: string, publicUrl: string | null): string {
  if (publicUrl === null) return url
  const { pathname, search } = new URL(url)
  const mount = pathname.startsWith(`${BASE_PATH}/`) ? mountOf(publicUrl) : ''
  return new URL(mount + pathname + search, publicUrl).href
}

const KEYS = '/.well-known/http-message-signatures-directory'

/** The keys that sign responses, for verification. */
export const signingKeyRoute = ({ signer, log }: SigningDeps): Route => ({
  method: 'GET',
  path: KEYS,
  handle: orError({ log }, async () => {
    const body = JSON.stringify({ keys: await signer.jwks() })
    return new Response(body, {
      headers: {
        'content-type': 'application/http-message-signatures-directory+json',
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
      },
    })
  }),
})
