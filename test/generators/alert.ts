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

/** The text with the id of a new alert in the place of the one that it shows, if it shows one. */
export async function withAlert(text: string, { origin, accounts }: Scene): Promise<string> {
  if (!text.includes(ALERT_ID)) return text
  const made = await fetch(`${origin}/api/v1/alerts`, {
    method: 'POST',
    headers: { 'X-API-Key': accounts.realtime, 'Content-Type': 'application/json' },
    body: JSON.stringify(ALERT),
  })
  return text.replaceAll(ALERT_ID, (await made.json()).id)
}
