import { drizzle } from 'drizzle-orm/postgres-js'
import { connect } from '~/store/database.ts'
import { seal } from './scene.ts'

/** A process that is killed in the middle of a seal of the database at argument 1. */
const sql = connect(process.argv[2]!, { connectionsMax: 4 })
const close = () => sql.end()
const database = { sql, db: drizzle(sql), kind: 'external', where: 'test', close } as const
await seal(database, {
  signed: async () => {
    process.kill(process.pid, 'SIGKILL')
    return new Promise<never>(() => {})
  },
})
