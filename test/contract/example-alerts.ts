import type { Database } from '~/store/database.ts'
import { bodiesOf, type Run } from './example-run.ts'

const NOBODYS = '6c84fb90-12c4-11e1-840d-7b25c5ee775a'

/** Records the operations on alerts: every success, and each refusal. */
export async function recordAlerts(run: Run, { sql }: Database): Promise<void> {
  const create = run.target('createAlert')
  const bodies = bodiesOf(create)
  const made = async (name: string): Promise<string> => {
    const answer = await run.ask(create, { body: bodies[name] })
    run.keep(create.id, 201, { [name]: answer })
    return answer.id
  }
  const alert = await made('best')
  const of = (id: string) => run.target(id)
  await sql`insert into alert_deliveries
    (alert_id, kind, body, created_at, next_at, tries, status, last_status, last_ms, done_at)
    select id, 'fired', '{}', created_at, created_at, 1, 'done', 204, 87,
      created_at + interval '1 second'
    from alerts where id = ${alert}`
  const answers = { listAlerts: {}, getAlert: { alert }, listAlertDeliveries: { alert } }
  for (const [id, wish] of Object.entries(answers))
    run.keep(id, 200, { answer: await run.ask(of(id), wish) })
  const other = await made('net')
  await made('move')
  const change = of('changeAlert')
  for (const [name, body] of Object.entries(bodiesOf(change)))
    run.keep(change.id, 200, { [name]: await run.ask(change, { alert, body }) })
  for (const id of ['testAlert', 'rotateAlertSecret'])
    run.keep(id, 201, { answer: await run.ask(of(id), { alert }) })
  await recordRefusals(run, alert)
  await sql`update alerts set webhook_url = null, secret = null where id = ${alert}`
  await run.fail(of('rotateAlertSecret'), { alert })
  run.keep('deleteAlert', 200, { answer: await run.ask(of('deleteAlert'), { alert: other }) })
  await recordLimit(run, sql)
  for (let i = 0; i < 21; i++) await run.fail(change, { alert, body: { status: 'paused' } })
  await run.fail(create, { body: bodies.best })
}

async function recordRefusals(run: Run, alert: string): Promise<void> {
  const [create, change] = [run.target('createAlert'), run.target('changeAlert')]
  const { best } = bodiesOf(create) as { best: Record<string, unknown> }
  const wrong = [
    { ...best, corridor: 'GBP/KSH' },
    { ...best, corridor: 'KES/KES' },
    { ...best, amount: 200 },
    { ...best, to: undefined },
    '{"corridor": ',
    ' '.repeat(8193),
  ]
  for (const body of wrong) await run.fail(create, { body })
  const changes = [{ amount: 200 }, { when: {} }, '{', ' '.repeat(8193)]
  for (const body of changes) await run.fail(change, { alert, body })
  const ids = ['getAlert', 'changeAlert', 'deleteAlert', 'testAlert', 'rotateAlertSecret']
  for (const id of [...ids, 'listAlertDeliveries'])
    await run.fail(run.target(id), {
      alert: NOBODYS,
      body: Object.values(bodiesOf(run.target(id)))[0],
    })
  for (let i = 0; i < 11; i++) await run.fail(run.target('testAlert'), { alert })
}

/** One more alert than the free plan allows, created and resumed. */
async function recordLimit(run: Run, sql: Database['sql']): Promise<void> {
  const [create, change] = [run.target('createAlert'), run.target('changeAlert')]
  const key = run.accounts.hourly
  const [body] = Object.values(bodiesOf(create))
  const { id: alert } = await run.ask(create, { key, body })
  await sql`update alerts set status = 'ended', ended_at = created_at where id = ${alert}`
  for (let i = 0; i < 4; i++) await run.fail(create, { key, body })
  await run.fail(change, { key, alert, body: { status: 'active' } })
}
