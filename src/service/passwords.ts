import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'

/** Why a password may not be chosen. */
export type PasswordFault = 'length' | 'address' | 'common'

type Choice = {
  readonly password: string
  /** Whose it would be. */
  readonly email: string
}

const hasPasswordLength = ({ length }: string): boolean =>
  length >= PASSWORD_LENGTH_MIN && length <= PASSWORD_LENGTH_MAX

/**
 * What is wrong with a new password, whatever its case: it is too short or too long, the address or
 * what stands before its `@`, or among those that people choose most. Null where nothing is.
 *
 * Passwords of before are not looked at: they go on to open their accounts.
 */
export async function passwordFault({ password, email }: Choice): Promise<PasswordFault | null> {
  if (!hasPasswordLength(password)) return 'length'
  const plain = password.trim().toLowerCase()
  const address = email.trim().toLowerCase()
  if (plain === address || plain === address.split('@')[0]) return 'address'
  commonest ??= loadCommonest()
  return (await commonest).has(plain) ? 'common' : null
}

let commonest: Promise<ReadonlySet<string>> | null = null

/** Of the 49,000 in the list, in the order of how often they are chosen, 1,557 are long enough. */
async function loadCommonest(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter(hasPasswordLength))
}
