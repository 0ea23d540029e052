import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { FreshDatabase } from '../support/postgres.ts'
import { type Player, Tools } from './player/player.ts'
import type { Question, Reply } from './question.ts'
import { NOW_MS, sampleService } from './sample-service.ts'
import { type Score, scoreOf } from './score.ts'
import { questionOf } from './template/templates.ts'

export type Played = Score & {
  readonly question: Question
  readonly reply: Reply
  readonly calls: number
  readonly tokens: number
}

/** A service on the sample at a fixed time, the sample's truth, and a client of the service. */
export class Benchmark {
  private constructor(
    readonly database: FreshDatabase,
    readonly client: Client,
    private readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<Benchmark> {
    const { service, database, key } = await sampleService()
    await database.sql`CREATE SCHEMA truth`
    await database.sql`
      CREATE TABLE truth.moment AS SELECT ${new Date(NOW_MS).toISOString()}::timestamptz AS at`
    await database.sql.unsafe(await Bun.file(new URL('./truth.sql', import.meta.url)).text())
    const client = new Client({ name: 'agents', version: '1.0.0' })
    const requestInit = { headers: { 'x-api-key': key } }
    const url = new URL(`${service.origin}/mcp`)
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    return new Benchmark(database, client, async () => {
      await client.close()
      await service.stop()
    })
  }

  /** The first questions of a seed. */
  async questions(seed: number, count: number): Promise<Question[]> {
    const all: Question[] = []
    for (let turn = 0; turn < count; turn++)
      all.push(await questionOf(this.database.sql, { seed, turn }))
    return all
  }

  async play(player: Player, questions: readonly Question[]): Promise<Played[]> {
    const all: Played[] = []
    for (const question of questions) {
      const tools = new Tools(this.client)
      const { template, slots, text } = question
      const reply = await player({ template, slots, text }, tools)
      const { calls, tokens } = tools
      all.push({ question, reply, calls, tokens, ...scoreOf(question.truth, reply) })
    }
    return all
  }

  async close(): Promise<void> {
    await this.stop()
  }
}
