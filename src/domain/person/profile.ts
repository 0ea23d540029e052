/** A person who is signed in, with the account that is theirs. */
export type Profile = {
  readonly userId: string
  readonly accountId: string
  readonly email: string
}

/** A session of a person, as its owner sees it. */
export type OwnSession = {
  readonly id: string
  readonly createdMs: number
  /** When it was last used, to a minute. */
  readonly usedMs: number
  /** How the browser named itself; null if it did not. */
  readonly userAgent: string | null
}

export type OwnPasskey = { readonly id: string; readonly name: string; readonly createdMs: number }

/** What a person can show besides the password. */
export type Factors = { readonly hasApp: boolean; readonly passkeys: readonly OwnPasskey[] }
