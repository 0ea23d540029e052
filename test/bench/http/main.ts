import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { http, SERVERS } from './http.ts'
import { bestGenerator, GENERATORS, type GeneratorName } from './load.ts'
import { reportTable } from './report.ts'

const ROOT = join(import.meta.dir, '../../..')
const OUT = join(ROOT, '.data/bench/http.json')
/** Endpoints of `--small`: one of each kind of response; `publishing` drives `/rates`. */
const SMALL = ['fetch-one', 'convert', 'tools/call', 'publishing']

export type HttpFlags = {
  readonly small: boolean
  readonly rounds?: string | undefined
  readonly seconds?: string | undefined
  readonly only?: string | undefined
  readonly servers?: string | undefined
  readonly generator?: string | undefined
  readonly out?: string | undefined
}

/** Measures by the flags, keeps the report in a file and returns its table. */
export async function httpBench(dataDir: string, flags: HttpFlags): Promise<string> {
  const names = flags.servers?.split(',') ?? [...SERVERS]
  const report = await http(dataDir, {
    depth: flags.small ? 1 : 4,
    rounds: Number(flags.rounds ?? (flags.small ? 1 : 3)),
    seconds: Number(flags.seconds ?? (flags.small ? 0.1 : 3)),
    warmUpSeconds: flags.small ? 0 : 4,
    only: flags.only?.split(',') ?? (flags.small ? SMALL : []),
    servers: SERVERS.filter((name) => names.includes(name)),
    generator: generatorOf(flags.generator),
    say: (line) => console.error(line),
  })
  const file = flags.out ?? OUT
  await mkdir(dirname(file), { recursive: true })
  await Bun.write(file, `${JSON.stringify(report, null, 2)}\n`)
  console.error(`kept in ${file}`)
  return reportTable(report)
}

function generatorOf(name: string | undefined): GeneratorName {
  if (name === undefined) return bestGenerator()
  if (name in GENERATORS) return name as GeneratorName
  throw new Error(`--generator is ${Object.keys(GENERATORS).join(' or ')}`)
}
