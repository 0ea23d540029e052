/** A person who is signed in, with the person's account. */
export type Profile = {
  readonly userId: string
  readonly accountId: string
  readonly email: string
}

export type OwnSession = {
  readonly id: string
  readonly createdMs: number
  /** The time when it was last used, to a minute. */
  readonly usedMs: number
  /** Name that the browser gave; null if it gave none. */
  readonly userAgent: string | null
}

export type OwnPasskey = { readonly id: string; readonly name: string; readonly createdMs: number }

export type Factors = { readonly hasApp: boolean; readonly passkeys: readonly OwnPasskey[] }

/** The token of a mailed link. */
export type NewLink = {
  readonly userId: string
  readonly token: string
  readonly nowMs: number
  readonly endsMs: number
}

export type AddressChange = {
  readonly email: string
  readonly token: string
  readonly nowMs: number
}
