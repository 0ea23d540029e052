import { expect, test } from 'bun:test'
import { createReferenceStore } from '~/store/reference-store.ts'
import { stockedDatabase } from '../../store/samples.ts'
import { clockAt } from '../../support/clock.ts'
import { AT, addAccount, Replica } from '../replica-scene.ts'
import { keptStateRun } from './kept-state.ts'

const STEPS = 40
const RUN_MS_MAX = 120_000

test(
  'a client that keeps prices by offer_id ends with the prices of /rates, whatever changes, without a reset',
  async () => {
    const database = await stockedDatabase()
    const rates = Object.entries({ KES: '130', GBP: '0.765', EUR: '0.87' })
    const snapshot = rates.map(([currency, perUsd]) => ({ currency, perUsd }))
    const fetchedMs = Date.parse(AT) - 7_200_000
    await createReferenceStore(database).append({ source: 'feed', fetchedMs, rates: snapshot })
    const clock = clockAt(AT)
    const settings = { QUOTA_ENTERPRISE: '1000000', QUOTE_IMPLAUSIBLE_TIMES: 'off' }
    const start = () => Replica.start(database, { clock, settings })
    const replicas = [await start(), await start()] as const
    const { keys } = await addAccount(database, { role: 'treasury' })
    const found = await keptStateRun({ database, replicas, clock, key: keys[0]!, steps: STEPS })
    expect(found).toMatchObject({ differences: 0, resets: 0 })
    expect(found.posts).toBeGreaterThan(STEPS / 3)
    for (const one of replicas) await one.service.stop()
    await database.close()
  },
  RUN_MS_MAX,
)
