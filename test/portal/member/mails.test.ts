import { afterAll, beforeAll, expect, test } from 'bun:test'
import { MailSink } from '../../support/mail-sink.ts'
import { Application } from '../consent/application.ts'
import { keyIn, newEmail, PASSWORD, PeopleWorld, pathOf } from '../people-world.ts'

const OTHER = 'a new pair of shoes'
const ORIGIN = 'https://corridor.example'

let sink: MailSink
let world: PeopleWorld

beforeAll(async () => {
  sink = new MailSink()
  world = await PeopleWorld.start({
    SMTP_URL: sink.url,
    MAIL_FROM: 'corridor@example.org',
    PUBLIC_URL: ORIGIN,
  })
})
afterAll(async () => {
  await world.stop()
  sink.stop()
})

const subjectOf = (mail: string) => /^Subject: (.*)$/m.exec(mail)?.[1]
const linkIn = (mail: string) => pathOf(/^https:.*$/m.exec(mail)![0])

test('emails report each new key and each new password, and contain none of them', async () => {
  const email = newEmail()
  const visitor = world.visitor()
  const mails = (count: number) => sink.until(count)
  await visitor.submit('/sign-up', { email, password: PASSWORD })
  const confirming = (await mails(1))[0]!
  const entered = await visitor.submit(linkIn(confirming), { password: PASSWORD })
  await mails(2)
  const made = await visitor.submit('/developer', { name: 'web' }, '/developer/keys')
  await mails(3)
  const { html } = await visitor.get('/developer')
  const replacing = /\/developer\/keys\/replace\?key=[\w-]+/.exec(html)![0]
  const replaced = await visitor.submit(replacing, { overlap: '1h' })
  await mails(4)
  await visitor.submit('/developer', { name: 'web' }, '/developer/keys')
  await visitor.submit('/developer', {}, '/sign-out')
  await visitor.submit('/sign-in', { email, password: PASSWORD })
  await visitor.submit('/forgotten', { email })
  const resetting = (await mails(5))[4]!
  await visitor.submit(linkIn(resetting), { password: 'short' })
  await visitor.submit(linkIn(resetting), { password: OTHER })
  const all = await mails(6)

  expect(all.map(subjectOf)).toEqual([
    'Confirm your address for Corridor',
    'A new API key for Corridor',
    'A new API key for Corridor',
    'A new API key for Corridor',
    'Choose a new password for Corridor',
    'Your new password for Corridor',
  ])
  for (const mail of all) expect(mail).toContain(`To: ${email}\n`)
  expect(all[1]).toContain(`\n${ORIGIN}/developer`)
  expect(all[5]).toContain('A new password was set for your account at ')
  expect(all[5]).toContain(`\n${ORIGIN}/forgotten`)
  const keys = [entered, made, replaced].map((seen) => keyIn(seen.html)!)
  for (const [i, name] of ['default', 'web', 'default'].entries()) {
    const mark = `crd_…${keys[i]!.slice(-4)}`
    expect(all[i + 1]).toContain(`The key "${name}" (${mark}) was made for your account at `)
  }
  const links = [confirming, resetting].map((mail) => linkIn(mail).split('token=')[1]!)
  for (const secret of [...keys, PASSWORD, OTHER])
    for (const mail of all) expect(mail).not.toContain(secret)
  for (const token of links)
    for (const mail of [all[1], all[2], all[3], all[5]]) expect(mail).not.toContain(token)
  expect(world.log.said.filter((line) => /^(warn|error)/.test(line))).toEqual([])
})

test('an email reports a new application, with the way to end it', async () => {
  const email = newEmail()
  const visitor = world.visitor()
  const before = sink.mails.length
  await visitor.submit('/sign-up', { email, password: PASSWORD })
  const confirming = (await sink.until(before + 1)).at(-1)!
  await visitor.submit(linkIn(confirming), { password: PASSWORD })
  await sink.until(before + 2)
  const application = await Application.registered(world)
  await new Application(world, application.clientId, { home: ORIGIN }).tokens({ visitor })
  const mail = (await sink.until(before + 3)).at(-1)!
  expect(subjectOf(mail)).toBe('An application was connected to Corridor')
  expect(mail).toContain('"Agent"')
  expect(linkIn(mail)).toBe('/developer')
})
