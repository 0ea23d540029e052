import type { Sql } from 'postgres'

/** Where its server listens. */
export const portOf = ({ options }: Sql): number => options.port[0]!

/** Connections that are made from now on go to this port. */
export function moveTo({ options }: Sql, port: number): void {
  options.port[0] = port
}

/** The address a client connects to, with the password: never to be logged. */
export function serverUrlOf({ options }: Sql): string {
  const { user, pass, host, port, database } = options
  const login = [user, String(pass)].map(encodeURIComponent).join(':')
  const name = host[0]?.includes(':') ? `[${host[0]}]` : host[0]
  return `postgres://${login}@${name}:${port[0]}/${encodeURIComponent(database)}`
}
