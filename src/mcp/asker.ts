import type { AuthInfo, RequestId } from '@modelcontextprotocol/server'
import type { Caller } from '~/domain/account.ts'

/** The caller of a request, when it came in, what was sent, and where to. */
export type Asker = {
  readonly caller: Caller
  readonly nowMs: number
  readonly sent: unknown
  /** The address that the service is called at, without a slash at the end. */
  readonly home: string
}

/** A caller in the form in which the SDK passes it on; the key itself goes no further. */
export const authInfoOf = (asker: Asker): AuthInfo => ({
  token: '',
  clientId: asker.caller.account.id,
  scopes: [],
  extra: { asker },
})

export const askerOf = (authInfo: AuthInfo | undefined): Asker => authInfo?.extra?.asker as Asker

type Message = { readonly id?: RequestId; readonly params?: { readonly arguments?: unknown } }

/** The arguments of a call as they were sent: the SDK drops one that is named `__proto__`. */
export const argumentsSent = ({ sent }: Asker, id: RequestId): unknown =>
  [sent as Message | Message[]].flat().find((message) => message.id === id)?.params?.arguments
