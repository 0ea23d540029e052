import { describe, expect, test } from 'bun:test'
import { MetricsOfAll, metricsOfAllBy, type Peer } from '~/runtime/worker-metrics.ts'
import { Said } from '../support/exposition.ts'

type Message = Parameters<Peer['send']>[0]

/** A supervisor and its workers, each with a count of its own; a silent one never responds. */
function house(counts: readonly (number | 'silent')[]) {
  const inboxes = counts.map(() => (_: unknown) => {})
  const peers = counts.map((_, i) => ({
    send: (message: Message) => queueMicrotask(() => inboxes[i]!(message)),
  }))
  const all = new MetricsOfAll(() => new Map(peers.map((peer, i) => [String(i), peer])))
  return counts.map((count, i) => {
    const supervisor = {
      send: (message: Message) => queueMicrotask(() => all.receive(message, peers[i]!)),
      onMessage: (receive: (message: unknown) => void) => {
        inboxes[i] = receive
      },
    }
    const text = `# HELP n Number\n# TYPE n gauge\nn ${count}\n`
    return metricsOfAllBy(supervisor)({
      contentType: 'text/plain',
      text: () => (count === 'silent' ? new Promise(() => {}) : Promise.resolve(text)),
    })
  })
}

const said = async (metrics: { text(): Promise<string> } | undefined) => {
  const { lines } = new Said(await metrics!.text())
  return lines.map(({ labels, value }) => [labels.worker, value])
}

/** Runs all tests at the same time, since some wait for a timeout. */
describe.concurrent('the metrics of a worker', () => {
  test('are those of all workers, whichever one is asked', async () => {
    const workers = house([1, 2, 3])
    for (const worker of workers)
      expect(await said(worker)).toEqual([
        ['0', 1],
        ['1', 2],
        ['2', 3],
      ])
  })

  test('are in the order of the workers’ places', async () => {
    const [first] = house(Array.from({ length: 12 }, (_, i) => i))
    expect((await said(first)).map(([place]) => Number(place))).toEqual([...Array(12).keys()])
  })

  test('are complete for each of many requests at once', async () => {
    const workers = house([1, 2])
    const asked = Array.from({ length: 50 }, (_, i) => said(workers[i % 2]))
    for (const answer of await Promise.all(asked))
      expect(answer).toEqual([
        ['0', 1],
        ['1', 2],
      ])
  })

  test('leave out a worker that does not respond', async () => {
    const [first] = house([1, 'silent', 3])
    expect(await said(first)).toEqual([
      ['0', 1],
      ['2', 3],
    ])
  })

  test('fail if no worker responds, instead of being empty', async () => {
    const [first] = house(['silent', 'silent'])
    await expect(first!.text()).rejects.toThrow('did not come in time')
  })

  test('fail if the supervisor does not respond', async () => {
    const supervisor = { send: () => {}, onMessage: () => {} }
    const metrics = metricsOfAllBy(supervisor)({ contentType: '', text: async () => '' })
    await expect(metrics.text()).rejects.toThrow('did not come in time')
  })
})
