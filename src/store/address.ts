import type { Sql } from './database.ts'

/** The address a client connects to, with the password: never to be logged. */
export function addressOf({ options }: Sql): string {
  const { user, pass, host, port, database } = options
  const login = [user, String(pass)].map(encodeURIComponent).join(':')
  return `postgres://${login}@${host[0]}:${port[0]}/${encodeURIComponent(database)}`
}
