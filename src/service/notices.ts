/** What a person is told of that happened to the account, by whomever; it holds no secret. */
export type Notice = { readonly email: string; readonly atMs: number } & (
  | { readonly kind: 'password' }
  | { readonly kind: 'key'; readonly keyName: string }
)

/** Takes a notice to send; nobody waits for it. */
export type Notify = (notice: Notice) => void
