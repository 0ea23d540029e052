import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FURTHER_LANGUAGES, prefixOf } from '~/portal/words/language.ts'
import { newEmail, PASSWORD, PeopleWorld, pathOf } from '../people-world.ts'
import { formsIn, type Seen, type Visitor } from '../visitor.ts'
import { englishIn } from '../words/english.ts'

let world: PeopleWorld
beforeAll(async () => {
  world = await PeopleWorld.start()
})
afterAll(() => world?.stop())

const PAGES = [
  ...[
    '/developer',
    '/developer?said=inside',
    '/developer/profile',
    '/developer/profile?said=mailed',
  ],
  ...[
    '/developer/profile/delete',
    '/developer/second-factor',
    '/developer/second-factor?said=added',
  ],
  ...['/developer/alerts', '/developer/alerts/new', '/oauth/authorize?client_id=x', '/mailed'],
]

const WRONG = { password: 'wrong', current: 'wrong', email: 'nobody', name: 'x'.repeat(90) }

describe('the pages of an account', () => {
  test.each(FURTHER_LANGUAGES)('%s is all that a person reads from the sign-up on', async (one) => {
    const prefix = prefixOf(one)
    const visitor = world.visitor()
    const reads = (path: string, { html }: Pick<Seen, 'html'>) => {
      expect([path, /<html lang="(\w+)"/.exec(html)?.[1]]).toEqual([path, one])
      expect([path, englishIn(html)]).toEqual([path, null])
    }
    const email = newEmail()
    await visitor.submit(`${prefix}/sign-up`, { email, password: PASSWORD })
    const link = pathOf(world.linksTo(email).at(-1)!)
    expect(link).toStartWith(`${prefix}/confirm?`)
    reads(link, await visitor.submit(link, { password: PASSWORD }))
    for (const path of PAGES) reads(path, await visitor.get(prefix + path))
    for (const path of PAGES) await sendWrongly(visitor, prefix + path, reads)
    const key = { name: 'Nº 2', use: 'sheet' }
    const made = await visitor.submit(`${prefix}/developer`, key, `${prefix}/developer/keys`)
    reads('a key for a program', made)
    const { html } = await visitor.get(`${prefix}/developer`)
    for (const [, href] of html.matchAll(/href="([^"]+\/keys\/(?:revoke|replace)\?[^"]+)"/g))
      reads(href!, await visitor.get(href!))
  })
})

/** Sends each form of a page with invalid values, except for the sign-out. */
async function sendWrongly(
  visitor: Visitor,
  page: string,
  reads: (path: string, seen: Seen) => void,
): Promise<void> {
  for (const { action, hidden } of formsIn((await visitor.get(page)).html)) {
    if (/sign-out|session$/.test(action)) continue
    const seen = await visitor.post(action, { ...hidden, ...WRONG })
    if (seen.status !== 303) reads(action, seen)
  }
}
