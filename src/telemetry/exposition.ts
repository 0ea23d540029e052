import type { Histogram, Registry } from 'prom-client'
import { type Family, type Sample, secondsOf } from './families.ts'
import type { Timings } from './timings.ts'

type Client = typeof import('prom-client')

/** The figures of a process as Prometheus reads them. */
export class Exposition {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8'
  #registry: Promise<Registry> | null = null

  constructor(private readonly families: readonly Family[]) {}

  /** What there is to say now. The library is loaded when it is asked for the first time. */
  async text(): Promise<string> {
    this.#registry ??= import('prom-client').then((client) => registryOf(client, this.families))
    return (await this.#registry).metrics()
  }
}

function registryOf(client: Client, families: readonly Family[]): Registry {
  const registry = new client.Registry()
  for (const family of families) register(client, registry, family)
  return registry
}

/** The figures are kept by whom they cost nothing; the library's own are filled from them. */
function register({ Counter, Gauge }: Client, registry: Registry, family: Family): void {
  const { name, help, labels = [] } = family
  const options = { name, help, labelNames: [...labels], registers: [registry] }
  switch (family.type) {
    case 'counter':
      new Counter({
        ...options,
        collect() {
          this.reset()
          for (const [of, value] of family.read()) this.inc(of, value)
        },
      })
      return
    case 'gauge':
      new Gauge({
        ...options,
        async collect() {
          const samples = await family.read()
          this.reset()
          if (labels.length === 0) this.remove()
          for (const [of, value] of samples) this.set(of, value)
        },
      })
      return
    case 'histogram':
      registry.registerMetric(readHistogram(name, help, family.read))
  }
}

/** The library's histogram can only observe; one that is counted elsewhere says its values. */
function readHistogram(
  name: string,
  help: string,
  read: () => Iterable<Sample<Timings>>,
): Histogram {
  const get = async () => ({
    ...{ name, help, type: 'histogram', aggregator: 'sum' },
    values: [...read()].flatMap(([labels, timings]) => bucketsOf(name, labels, timings)),
  })
  return { name, help, get } as unknown as Histogram
}

function bucketsOf(name: string, labels: Record<string, string>, timings: Timings) {
  const { boundsMs, counts, sumMs } = timings
  let below = 0
  const buckets = [...counts].map((count, i) => {
    below += count
    const le = i < boundsMs.length ? String(secondsOf(boundsMs[i]!)) : '+Inf'
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: secondsOf(sumMs) },
    { metricName: `${name}_count`, labels, value: below },
  ]
}
