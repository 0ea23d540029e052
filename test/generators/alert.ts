import type { exampleScene } from '../contract/example-scene.ts'

/** The id of an alert in samples and in the collection. */
const ALERT_ID = '6c84fb90-12c4-11e1-840d-7b25c5ee775a'
const ALERT = {
  name: 'A good day to send',
  corridor: 'GBP/KES',
  when: { field: 'best', op: 'above', value: 180 },
  to: { webhook: 'https://example.com/corridor' },
}

type Scene = Pick<Awaited<ReturnType<typeof exampleScene>>, 'origin' | 'accounts'>

const OBSERVATION_IDS = ['48211', '48212']
const ROWS = ['wise', 'western-union'].map((provider_id) => ({
  ...{ provider_id, from: 'GBP', to: 'KES', rate: 171, source_country: 'IE' },
}))

/**
 * A string in which the ids of an alert and of observations in examples are replaced by existing
 * ones.
 */
export const withAlert = async (text: string, scene: Scene): Promise<string> =>
  withObservations(await withOwnAlert(text, scene), scene)

async function withObservations(text: string, { origin, accounts }: Scene): Promise<string> {
  if (!OBSERVATION_IDS.some((id) => text.includes(id))) return text
  const recorded = await fetch(`${origin}/api/v1/rates`, {
    method: 'POST',
    headers: { 'X-API-Key': accounts.realtime, 'Content-Type': 'application/json' },
    body: JSON.stringify(ROWS),
  })
  const body = (await recorded.json()) as { ids?: number[] }
  if (!body.ids) throw new Error(`nothing was recorded: ${JSON.stringify(body)}`)
  const { ids } = body
  return OBSERVATION_IDS.reduce((own, id, i) => own.replaceAll(id, String(ids[i])), text)
}

/** The string with its alert id replaced by that of a new alert, if it has one. */
async function withOwnAlert(text: string, { origin, accounts }: Scene): Promise<string> {
  if (!text.includes(ALERT_ID)) return text
  const made = await fetch(`${origin}/api/v1/alerts`, {
    method: 'POST',
    headers: { 'X-API-Key': accounts.realtime, 'Content-Type': 'application/json' },
    body: JSON.stringify(ALERT),
  })
  return text.replaceAll(ALERT_ID, (await made.json()).id)
}
