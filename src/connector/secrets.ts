import { FeedError } from '~/domain/feed/feed.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A secret in a string: `${ACME_TOKEN}`. */
export const SECRET = /\$\{(\w+)\}/g

/** A string with the values of its secrets. Throws a FeedError for a secret that is not set. */
export const withSecrets = (text: string, env: Env): string =>
  text.replace(SECRET, (_, secret: string) => env[secret]?.trim() || lacking(secret))

function lacking(secret: string): never {
  throw new FeedError('misconfigured', `needs the environment variable ${secret}`)
}
