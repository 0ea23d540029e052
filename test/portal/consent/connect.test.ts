import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newEmail, PASSWORD, PeopleWorld, pathOf } from '../people-world.ts'
import { Application, asked, signInFrom } from './application.ts'

let world: PeopleWorld

beforeAll(async () => {
  world = await PeopleWorld.start()
}, 120_000)

afterAll(() => world.stop(), 30_000)

describe('an application', () => {
  test('is connected by a person who signs in on the way', async () => {
    const { email } = await world.member()
    const application = await Application.registered(world)
    const visitor = world.visitor()
    const first = await visitor.get(await application.question())
    expect([first.status, first.location?.split('?')[0]]).toEqual([303, '/sign-in'])
    const entered = await signInFrom(visitor, first, email)
    expect([entered.status, entered.location]).toEqual([303, await application.question()])
    const page = await visitor.get(entered.location!)
    if (page.status !== 200) console.log(JSON.stringify(world.log.lines.slice(-3)))
    expect(page.status).toBe(200)
    expect(page.html).toContain('Connect Agent?')
    const code = await application.code(visitor)
    const { status, body, headers } = await application.exchange(code)
    expect([status, body.token_type, body.scope, body.expires_in]).toEqual([
      200,
      'Bearer',
      'mcp offline_access',
      3600,
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await asked(world, body.access_token as string)).status).toBe(200)
  })

  test('is connected by a person who has to sign up on the way', async () => {
    const question = await (await Application.registered(world)).question()
    const visitor = world.visitor()
    const email = newEmail()
    const signIn = (await visitor.get((await visitor.get(question)).location!)).html
    const signUp = /href="(\/sign-up\?[^"]+)"/.exec(signIn)![1]!
    await visitor.submit(signUp, { email, password: PASSWORD })
    const link = pathOf(world.linksTo(email).at(-1)!)
    const shown = await visitor.submit(link, { password: PASSWORD })
    const copied = /<a class="button" href="([^"]+)">I have copied it/.exec(shown.html)![1]!
    expect(copied.replaceAll('&amp;', '&')).toBe(question)
    expect([...visitor.cookies.keys()]).not.toContain('corridor.next')
  })

  test('is connected by a person who signs in before confirming the email', async () => {
    const question = await (await Application.registered(world)).question()
    const visitor = world.visitor()
    const email = newEmail()
    await world.visitor().submit('/sign-up', { email, password: PASSWORD })
    const signIn = (await visitor.get(question)).location!
    const sent = await visitor.submit(signIn, { email, password: PASSWORD }, '/sign-in')
    expect(sent.location).toBe('/mailed')
    const link = pathOf(world.linksTo(email).at(-1)!)
    const shown = await visitor.submit(link, { password: PASSWORD })
    const copied = /<a class="button" href="([^"]+)">I have copied it/.exec(shown.html)![1]!
    expect(copied.replaceAll('&amp;', '&')).toBe(question)
  })

  test('is forgotten by a browser whose cookie leads elsewhere', async () => {
    const visitor = world.visitor()
    const email = newEmail()
    await visitor.submit('/sign-up', { email, password: PASSWORD })
    const elsewhere = Buffer.from('//evil.example/oauth/authorize?').toString('base64url')
    visitor.cookies.set('corridor.next', elsewhere)
    const link = pathOf(world.linksTo(email).at(-1)!)
    const shown = await visitor.submit(link, { password: PASSWORD })
    expect(shown.html).toContain('<a class="button" href="/developer">I have copied it')
  })
})
