import { type Member, PASSWORD, type PeopleWorld } from '../people-world.ts'
import { formsIn, type Seen, type Visitor } from '../visitor.ts'

/** Tries until a service responds while its database restarts. */
const TRIES_MAX = 20
const CALLBACK = 'http://127.0.0.1:33418/callback'

type Tokens = { access_token: string; refresh_token: string; expires_in: number; scope: string }
type Answer = { status: number; body: Record<string, unknown>; headers: Headers }

/** An application that wants to be connected, reduced to its requests. */
export class Application {
  readonly verifier = crypto.randomUUID() + crypto.randomUUID()

  constructor(
    readonly world: PeopleWorld,
    readonly clientId: string,
    /** The public address of the service, if it differs from its own. */
    private readonly place: { readonly home?: string } = {},
  ) {}

  /** A registered application with a unique description. */
  static async registered(world: PeopleWorld, metadata: object = {}): Promise<Application> {
    const own = { client_name: 'Agent', client_uri: `https://${crypto.randomUUID()}.example/` }
    const { body, status } = await registration(world, { ...own, ...metadata })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return new Application(world, body.client_id as string)
  }

  /** The path of its consent page. */
  async question(changed: Record<string, string> = {}): Promise<string> {
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(this.verifier))
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: CALLBACK,
      state: 'the state',
      code_challenge: Buffer.from(hash).toString('base64url'),
      code_challenge_method: 'S256',
      resource: `${this.place.home ?? this.world.origin}/mcp`,
      ...changed,
    })
    return `/oauth/authorize?${query}`
  }

  /** Sends a signed-in person's decision, and returns the response. */
  async decide(visitor: Visitor, decision: 'allow' | 'deny' = 'allow'): Promise<Seen> {
    const page = await visitor.get(await this.question())
    const form = formsIn(page.html).find(({ hidden }) => hidden.decision === decision)
    if (!form) throw new Error(`no consent: ${page.status} ${page.location} ${page.html}`)
    return visitor.post(form.action, form.hidden)
  }

  /** A code that the person granted. */
  async code(visitor: Visitor): Promise<string> {
    const { location } = await this.decide(visitor)
    return new URL(location!).searchParams.get('code')!
  }

  exchange(code: string, changed: Record<string, string> = {}): Promise<Answer> {
    return answered(this.world, {
      grant_type: 'authorization_code',
      code,
      client_id: this.clientId,
      redirect_uri: CALLBACK,
      code_verifier: this.verifier,
      ...changed,
    })
  }

  renew(refreshToken: string, changed: Record<string, string> = {}): Promise<Answer> {
    return answered(this.world, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: this.clientId,
      ...changed,
    })
  }

  /** Tokens from a person who allows everything. */
  async tokens({ visitor }: Pick<Member, 'visitor'>): Promise<Tokens> {
    const { status, body } = await this.exchange(await this.code(visitor))
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body as Tokens
  }
}

export async function registration(
  world: PeopleWorld,
  metadata: unknown,
  address = '198.51.100.1',
): Promise<Answer> {
  const body = typeof metadata === 'string' ? metadata : JSON.stringify(withRedirect(metadata))
  return answerOf(
    await fetch(`${world.origin}/oauth/register`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    }),
  )
}

const withRedirect = (metadata: unknown) =>
  typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
    ? { redirect_uris: [CALLBACK], ...metadata }
    : metadata

export async function form(
  world: PeopleWorld,
  path: string,
  fields: Record<string, string> | string,
): Promise<Answer> {
  const body = new URLSearchParams(fields)
  return answerOf(await fetch(`${world.origin}${path}`, { method: 'POST', body }))
}

/** Requests tokens as applications do: again if the service had too many requests. */
async function answered(world: PeopleWorld, fields: Record<string, string>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await form(world, '/oauth/token', fields)
    if (answer.status !== 503 || tries === TRIES_MAX) return answer
  }
}

async function answerOf(reply: Response): Promise<Answer> {
  const body = (await reply.json()) as Record<string, unknown>
  return { status: reply.status, body, headers: reply.headers }
}

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

/** The response of the tool server to a token, or to none. */
export async function asked(world: PeopleWorld, token: string | null, body = LIST) {
  const reply = await fetch(`${world.origin}/mcp`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
  })
  return { status: reply.status, text: await reply.text(), headers: reply.headers }
}

/** Signs in from the page that a consent request led to, and follows the redirects. */
export async function signInFrom(
  visitor: Visitor,
  { location }: Seen,
  email: string,
): Promise<Seen> {
  return visitor.submit(location!, { email, password: PASSWORD }, '/sign-in')
}
