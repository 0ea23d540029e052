import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'

/** Why a password is refused. */
export type PasswordFault = 'length' | 'address' | 'common'

type Choice = {
  readonly password: string
  /** The address of the account that the password is for. */
  readonly email: string
}

const hasPasswordLength = ({ length }: string): boolean =>
  length >= PASSWORD_LENGTH_MIN && length <= PASSWORD_LENGTH_MAX

/**
 * What is wrong with a new password, ignoring case: it is too short or too long, equals the address
 * or the part before its `@`, or is among the most common ones. Null where nothing is.
 *
 * Existing passwords are not checked and keep working.
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

/**
 * The common passwords that are long enough to matter: 1,557 of the list's 49,000, most frequent
 * first.
 */
async function loadCommonest(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter(hasPasswordLength))
}
