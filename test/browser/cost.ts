import type { Scene } from './scene.ts'

/** Number of visits to a page: the quickest is its cost, the rest is noise. */
const VISITS = 5

type Cost = { readonly bytes: number; readonly paintMs: number; readonly interactiveMs: number }

/** Costs of first visits to a page, with nothing in any cache, in ascending order. */
export async function firstVisitCost(
  scene: Scene,
  path: string,
): Promise<Readonly<Record<keyof Cost, number[]>>> {
  const visits: Cost[] = []
  for (let i = 0; i < VISITS; i++) visits.push(await costOf(scene, path))
  const of = (name: keyof Cost) => visits.map((visit) => visit[name]).sort((a, b) => a - b)
  return { bytes: of('bytes'), paintMs: of('paintMs'), interactiveMs: of('interactiveMs') }
}

async function costOf(scene: Scene, path: string): Promise<Cost> {
  const { page, context } = await scene.visit()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(path, { waitUntil: 'networkidle' })
  await page.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length > 0`)
  const times = (await page.evaluate(`({
    paintMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    interactiveMs: performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd,
  })`)) as Omit<Cost, 'bytes'>
  await context.close()
  return { bytes, ...times }
}
