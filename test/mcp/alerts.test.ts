import { afterEach, describe, expect, test } from 'bun:test'
import { ToolWorld } from './tool-world.ts'

let tools: ToolWorld
afterEach(() => tools.stop())

async function asking(plan: 'free' | 'enterprise' = 'enterprise') {
  tools = new ToolWorld()
  const key = tools.world.key(plan)
  return { key, session: await tools.connect(key) }
}

const WISH = { from: 'pounds sterling', to: 'Kenya', field: 'best', op: 'above', value: 180 }

describe('create_alert', () => {
  test('describes the alert in a sentence, costs a unit, and appears in REST', async () => {
    const { key, session } = await asking()
    const { isError, body } = await session.call('create_alert', { ...WISH, once: 'true' })
    expect([isError, body.corridor, body.status]).toEqual([false, 'GBP/KES', 'active'])
    expect(body.will).toBe(
      'When the best rate in GBP/KES rises above 180, it sends an email to the owner of the ' +
        'account, then it ends.',
    )
    expect(await tools.used(key)).toBe(1)
    const rest = await tools.world.get('/alerts', key)
    expect(rest.body.alerts).toEqual([expect.objectContaining({ id: body.id, once: true })])
  })

  test('describes an amount, countries, a move and a webhook in the sentence', async () => {
    const { session } = await asking()
    const net = await session.call('create_alert', {
      ...{ from: 'GBP', to: 'KES', source_country: 'UK', target_country: 'Kenya' },
      ...{ field: 'best_current_net', op: 'below', value: 30_000, amount: 200 },
    })
    expect(net.body.will).toBe(
      'When what arrives for 200 GBP in GBP/KES (GB to KE) falls below 30000, it sends an email ' +
        'to the owner of the account, and again whenever that recurs.',
    )
    const move = await session.call('create_alert', {
      ...{ from: 'GBP', to: 'KES', field: 'mid', op: 'moves_pct', value: 2, period: '24h' },
      webhook: 'https://hooks.example.org/x',
    })
    expect(move.body.will).toBe(
      'When the mid-market rate in GBP/KES moves by at least 2 % within 24h, it sends a POST to ' +
        'hooks.example.org, and again whenever that recurs.',
    )
    expect(JSON.stringify(move.body)).not.toContain('whsec_')
    const stale = await session.call('create_alert', { from: 'GBP', to: 'KES', field: 'stale' })
    expect(stale.body.will).toStartWith('When prices in GBP/KES are all stale, it sends')
    const old = await session.call('create_alert', {
      ...{ from: 'GBP', to: 'KES', field: 'stale', period: '24h' },
    })
    expect(old.body.will).toStartWith('When prices in GBP/KES are all older than 24h, it sends')
  })

  test.each([
    [{ ...WISH, value: undefined }, 'value'],
    [{ ...WISH, op: 'over' }, 'op'],
    [{ ...WISH, field: 'net' }, 'field'],
    [{ ...WISH, amount: 5 }, 'amount'],
    [{ ...WISH, webhook: 'ftp://x' }, 'webhook'],
    [{ ...WISH, email: 'a@b.example' }, 'email'],
  ])('refuses %j with the reason, for no unit', async (args, at) => {
    const { key, session } = await asking()
    const { isError, body } = await session.call('create_alert', args)
    expect([isError, body.parameter]).toEqual([true, expect.stringContaining(at)])
    expect(await tools.used(key)).toBe(0)
  })

  test('stops at the limit of the plan, as REST does', async () => {
    const { session } = await asking('free')
    for (let i = 0; i < 3; i++)
      expect((await session.call('create_alert', { ...WISH, value: 180 + i })).isError).toBe(false)
    const { isError, body } = await session.call('create_alert', WISH)
    expect([isError, body.code]).toEqual([true, 'alert_limit'])
  })
})

describe('list_alerts and end_alert', () => {
  test('show and end the alerts of the account alone, for no unit', async () => {
    const { key, session } = await asking()
    const { id } = (await session.call('create_alert', WISH)).body
    const other = await tools.connect(tools.world.key())
    expect((await other.call('list_alerts')).body).toMatchObject({
      ...{ alerts: [], count: 0, note: 'The account has no alerts.' },
    })
    expect((await other.call('end_alert', { id })).body.code).toBe('unknown_alert')
    const listed = (await session.call('list_alerts')).body
    expect(listed.alerts).toEqual([expect.objectContaining({ id, will: expect.any(String) })])
    const ended = await session.call('end_alert', { id })
    expect([ended.isError, ended.body.id]).toEqual([false, id])
    expect(ended.body.will).toContain('sends nothing any more')
    expect((await session.call('list_alerts')).body.count).toBe(0)
    expect((await session.call('end_alert', { id })).body.code).toBe('unknown_alert')
    expect(await tools.used(key)).toBe(1)
  })

  test('shortens a long list', async () => {
    const { session } = await asking()
    for (let i = 1; i < 4; i++) await session.call('create_alert', { ...WISH, value: 200 + i })
    const { body } = await session.call('list_alerts', { limit: 2 })
    expect([body.alerts.length, body.count, body.next_offset]).toEqual([2, 3, 2])
  })
})
