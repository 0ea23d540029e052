import { join } from 'node:path'
import type { Role } from '~/domain/quota.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { otherHandle, stockedDatabase } from '../../store/samples.ts'
import { type Member, newEmail, PeopleWorld } from '../people-world.ts'
import { formsIn, type Seen, type Visitor } from '../visitor.ts'

export const PRICES = '/developer/prices'

/** A service and a replica on one database with a catalogue. */
export async function pricesWorlds(): Promise<[PeopleWorld, PeopleWorld]> {
  const database = await stockedDatabase()
  const world = await PeopleWorld.on(database)
  return [world, await PeopleWorld.on({ ...otherHandle(database), url: database.url })]
}

type Rights = { readonly role?: Role; readonly providers?: readonly string[] }

/** A signed-in person whose account may record. */
export async function treasurer(world: PeopleWorld, rights: Rights = {}): Promise<Member> {
  const { role = 'treasury', providers } = rights
  const email = newEmail()
  const keyHash = crypto.randomUUID().replaceAll('-', '').padStart(64, '0')
  const accounts = createAccountStore(world.database)
  const { account } = await accounts.create({ email, plan: 'free', role, keyName: 'k', keyHash })
  if (providers) await accounts.update(account.id, { providers }, email)
  return world.member(email)
}

/** A browser of the same person at another replica. */
export function at(world: PeopleWorld, { visitor }: Member): Visitor {
  const other = world.visitor()
  for (const [name, value] of visitor.cookies) other.cookies.set(name, value)
  return other
}

type Sent = {
  readonly bytes?: Uint8Array
  readonly name?: string
  readonly pasted?: string
  readonly timeZone?: string
}

/** Sends a table as the form of the page does; returns the response. */
export async function send(visitor: Visitor, sent: Sent): Promise<Seen> {
  const { bytes = new Uint8Array(), name = '', pasted = '', timeZone = '' } = sent
  const form = new FormData()
  form.set('form_token', await visitor.token(PRICES))
  form.set('time_zone', timeZone)
  form.set('file', new File([new Uint8Array(bytes)], name))
  form.set('pasted', pasted)
  const request = new Request(visitor.origin, { method: 'POST', body: form })
  return visitor.ask(PRICES, {
    method: 'POST',
    body: await request.clone().bytes(),
    headers: {
      'content-type': request.headers.get('content-type')!,
      origin: visitor.origin,
      'sec-fetch-site': 'same-origin',
    },
  })
}

/** Sends a string as if it was pasted; returns the path of its preview. */
export async function pasted(visitor: Visitor, text: string, timeZone = ''): Promise<string> {
  const { status, location, html } = await send(visitor, { pasted: text, timeZone })
  if (status !== 303) throw new Error(`${status}: ${html}`)
  return location!
}

/** Clicks the button of a preview that records. */
export async function record(visitor: Visitor, preview: string): Promise<Seen> {
  return recordAs(visitor, await recordForm(visitor, preview))
}

export const recordAs = (visitor: Visitor, hidden: Record<string, string>): Promise<Seen> =>
  visitor.post(`${PRICES}/record`, hidden)

/** The form of a preview's button. */
export async function recordForm(
  visitor: Visitor,
  preview: string,
): Promise<Record<string, string>> {
  const { html } = await visitor.get(preview)
  const form = formsIn(html).find(({ action }) => action === `${PRICES}/record`)
  if (!form) throw new Error(`nothing can be recorded: ${html}`)
  return form.hidden
}

/** The form with the columns of a preview, unchanged. */
export async function settingsForm(visitor: Visitor, preview: string) {
  const { html } = await visitor.get(preview)
  const inside = html.split('class="settings"')[1]!.split('</form>')[0]!
  const fields = formsIn(`${inside}</form>`)[0]!.hidden
  for (const [, name, options] of inside.matchAll(/<select[^>]* name="(\w+)".*?>(.*?)<\/select>/gs))
    fields[name!] =
      /<option selected value="([^"]*)"|<option value="([^"]*)" selected/
        .exec(options!)
        ?.slice(1)
        .find((value) => value !== undefined) ?? ''
  for (const [, name, value] of inside.matchAll(
    /<input(?=[^>]* name="(\w+)")(?![^>]*hidden)(?:[^>]* value="([^"]*)")?/g,
  ))
    fields[name!] ??= value ?? ''
  return fields
}

export const workbook = (name: string) =>
  Bun.file(join(import.meta.dir, '../../file/table/workbooks', name)).bytes()
