import { type Family, type Labels, secondsOf } from './families.ts'
import type { Timings } from './timings.ts'

/** The metrics of a process. https://prometheus.io/docs/instrumenting/exposition_formats/ */
export class Exposition {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8'

  constructor(private readonly families: readonly Family[]) {}

  async text(): Promise<string> {
    const blocks = await Promise.all(this.families.map(blockOf))
    return `${blocks.join('\n\n')}\n`
  }
}

async function blockOf(family: Family): Promise<string> {
  const { name, help, type } = family
  const head = [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`]
  const lines =
    family.type === 'histogram'
      ? [...family.read()].flatMap(([labels, timings]) => histogramLines(name, labels, timings))
      : [...(await family.read())].map(([labels, value]) => line(name, labels, value))
  return [...head, ...lines].join('\n')
}

function histogramLines(name: string, labels: Labels, timings: Timings): string[] {
  const { boundsMs, counts, sumMs } = timings
  let below = 0
  const buckets = [...counts].map((count, i) => {
    below += count
    const le = numberText(secondsOf(boundsMs[i] ?? Number.POSITIVE_INFINITY))
    return line(`${name}_bucket`, { le, ...labels }, below)
  })
  return [
    ...buckets,
    line(`${name}_sum`, labels, secondsOf(sumMs)),
    line(`${name}_count`, labels, below),
  ]
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`,
  )
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}`
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

const numberText = (value: number): string =>
  Math.abs(value) === Number.POSITIVE_INFINITY ? (value > 0 ? '+Inf' : '-Inf') : String(value)
