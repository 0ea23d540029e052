import { createHmac } from 'node:crypto'
import { PASSWORD } from '../people-world.ts'
import type { Visitor } from '../visitor.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** The bytes of a text in base 32. https://www.rfc-editor.org/rfc/rfc4648#section-6 */
function bytesIn(text: string): Buffer {
  let bits = ''
  for (const letter of text) bits += ALPHABET.indexOf(letter).toString(2).padStart(5, '0')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}

/** An authenticator app, by RFC 6238 alone. Each code differs from the previous ones. */
export class Authenticator {
  #step = Math.floor(Date.now() / STEP_MS) - 2

  constructor(private readonly key: string) {}

  /**
   * The code of the next step; three in a row are valid at once, as clocks may differ by a step.
   */
  next(): string {
    this.#step += 1
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(this.#step))
    const hash = createHmac('sha1', bytesIn(this.key)).update(counter).digest()
    const at = hash.at(-1)! & 15
    return String((hash.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
  }
}

/** Sets up an app as a person does; returns it and the recovery codes. */
export async function withApp(visitor: Visitor, password = PASSWORD) {
  const page = '/developer/second-factor'
  const begun = await visitor.submit(page, { 'app-password': password }, `${page}/app`)
  const key = /<pre id="app-key"><code>([A-Z2-7]+)<\/code>/.exec(begun.html)?.[1]
  if (!key) throw new Error(`no key: ${begun.status} ${begun.html}`)
  const app = new Authenticator(key)
  const address = /name="address" value="([^"]+)"/.exec(begun.html)![1]!.replaceAll('&amp;', '&')
  const form_token = /name="form_token" value="([^"]+)"/.exec(begun.html)![1]!
  const confirm = async () => {
    const fields = { form_token, address, code: app.next() }
    const done = await visitor.post(`${page}/app/confirm`, fields)
    const codes = /<pre id="recovery-codes"><code>([^<]+)</.exec(done.html)?.[1]?.split('\n') ?? []
    return { done, codes }
  }
  let confirmed = await confirm()
  // the first code is of the previous step, and too old if another step begins meanwhile
  if (confirmed.codes.length === 0) confirmed = await confirm()
  return { app, key, ...confirmed }
}
