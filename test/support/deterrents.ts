import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import type { Deterrents } from '~/runtime/people/ways-in.ts'

const KEY_BYTES = 32
const COST = { N: 16, r: 1, p: 1 }

/** Salted hashes at no cost: tests hash hundreds of passwords. */
export const cheapPasswords: NonNullable<Deterrents['passwords']> = {
  async hash(password) {
    const salt = randomBytes(KEY_BYTES).toString('hex')
    return `${salt}:${keyOf(password, salt).toString('hex')}`
  },
  async verify({ hash, password }) {
    const [salt = '', key = ''] = hash.split(':')
    return timingSafeEqual(keyOf(password, salt), Buffer.from(key, 'hex'))
  },
}

/** Deterrents that delay no test; the skipped delays are added to `waits`. */
export const quickDeterrents = (waits: number[] = []): Deterrents => ({
  passwords: cheapPasswords,
  waited: async (ms) => void waits.push(ms),
})

const keyOf = (password: string, salt: string): Buffer =>
  scryptSync(password.normalize('NFKC'), salt, KEY_BYTES, COST)
