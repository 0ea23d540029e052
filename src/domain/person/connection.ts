export type KnownApplication = {
  readonly clientId: string
  readonly name: string
  readonly uri: string | null
  readonly redirectUris: readonly string[]
  /** The time when it registered, or when its document was last read. */
  readonly readMs: number
}

export type DescribedApplication = Pick<KnownApplication, 'name' | 'uri' | 'redirectUris'>

/** A person's wish to connect an application, as the key that will represent it. */
export type NewConnection = {
  readonly accountId: string
  readonly userId: string
  readonly clientId: string
  readonly name: string
  readonly hash: string
  readonly actor: string
}

/** The connection that a token belongs to. */
export type HeldConnection = {
  readonly keyId: string
  readonly accountId: string
  readonly clientId: string
  readonly name: string
  readonly isEnded: boolean
  /** The time when the person last allowed the application. */
  readonly consentedMs: number
}
