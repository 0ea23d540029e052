import { afterAll, beforeAll, expect, test } from 'bun:test'
import { otherHandle } from '../../store/samples.ts'
import { MailSink } from '../../support/mail-sink.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { newEmail, PASSWORD, PeopleWorld, pathOf } from '../people-world.ts'
import { withApp } from './authenticator.ts'

const PROFILE = '/developer/profile'
const SETTING_UP = '/developer/second-factor'
const OTHER = 'a new pair of shoes'
const HOME = 'http://corridor.example'

let sink: MailSink
let world: PeopleWorld
/** A replica without a mail server, by whose log people sign up. */
let entrance: PeopleWorld

beforeAll(async () => {
  sink = new MailSink()
  const database = await freshDatabase()
  const mailing = { SMTP_URL: sink.url, MAIL_FROM: 'corridor@example.org', PUBLIC_URL: HOME }
  world = await PeopleWorld.on(database, mailing)
  entrance = await PeopleWorld.on({ ...otherHandle(database), url: database.url })
}, 120_000)
afterAll(async () => {
  await entrance.stop()
  await world.stop()
  sink.stop()
}, 120_000)

const headOf = (mail: string) => [/^To: (.*)$/m.exec(mail)![1], /^Subject: (.*)$/m.exec(mail)![1]]

test('each change of the way in is emailed, that of the email to both addresses', async () => {
  const { email, visitor: inside } = await entrance.member()
  const visitor = world.visitor()
  for (const [name, value] of inside.cookies) visitor.cookies.set(name, value)
  const to = newEmail()
  await withApp(visitor)
  await visitor.submit(`${SETTING_UP}/remove`, { password: PASSWORD })
  const change = { current: PASSWORD, password: OTHER }
  await visitor.submit(PROFILE, change, `${PROFILE}/password`)
  const asked = { email: to, 'email-password': OTHER }
  await visitor.submit(PROFILE, asked, `${PROFILE}/address`)
  const link = pathOf(/^http:.*$/m.exec((await sink.until(4)).at(-1)!)![0])
  expect((await visitor.submit(link, {})).location).toBe(`${PROFILE}?said=address`)
  await sink.until(6)
  await visitor.submit(`${PROFILE}/delete`, { password: OTHER })
  const mails = await sink.until(7)
  expect(mails.map(headOf)).toEqual([
    [email, 'A new way to sign in to Corridor'],
    [email, 'A way to sign in to Corridor was removed'],
    [email, 'Your new password for Corridor'],
    [to, 'Confirm your new address for Corridor'],
    [email, 'Your new address for Corridor'],
    [to, 'Your new address for Corridor'],
    [to, 'Your account for Corridor is deleted'],
  ])
  expect(mails[4]).toContain(`became ${to}`)
  expect(mails[4]).toContain('If it was not you')
  expect(mails[6]).toContain(`${HOME}/privacy`)
  for (const mail of mails)
    for (const secret of [PASSWORD, OTHER]) expect(mail).not.toContain(secret)
})
