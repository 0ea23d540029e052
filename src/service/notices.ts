import type { Key } from '~/domain/account.ts'

/** An account event that is reported to its person, whoever caused it; it holds no secret. */
export type Notice = {
  readonly email: string
  readonly atMs: number
  /** The language of the email if no account has the address any more; else that of its person. */
  readonly language?: string
} & (
  | { readonly kind: 'password' }
  | { readonly kind: 'factor'; readonly what: string; readonly isAdded: boolean }
  | { readonly kind: 'address'; readonly to: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'connection'; readonly name: string }
  | { readonly kind: 'key'; readonly key: Pick<Key, 'name' | 'lastFour'> }
)

/** Takes a notice to send; the caller does not wait for it. */
export type Notify = (notice: Notice) => void
