/** An address of a PostgreSQL server, in a form that the runtime and the driver can read. */
export type DatabaseAddress = {
  /** The address; with a socket, its host is `localhost`. */
  readonly url: string
  /** The folder of the Unix socket; null over a network. */
  readonly socket: string | null
}

const FORM = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/
const HOST = /^(.*?)(?::(\d*))?$/

/** Parameters by which libpq lets an address repeat parts before the `?`. */
const MOVED: readonly string[] = ['host', 'port', 'user', 'password', 'dbname']

/**
 * Reads an address as libpq would. Parameters such as `host` and `user` replace the part before the
 * `?`. A host that is a path, there or percent-encoded in its usual place, is the folder of a Unix
 * socket. Null if it is not an address of PostgreSQL, or names no host.
 */
export function databaseAddress(text: string): DatabaseAddress | null {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

function read(text: string): DatabaseAddress | null {
  const [, scheme, login = '', place = '', path = '', query = ''] = FORM.exec(text) ?? []
  if (!scheme) return null
  const parameters = query.split('&').map((part) => [part, ...nameAndValue(part)] as const)
  const moved = new Map(
    parameters.flatMap(([, name, value]) =>
      MOVED.includes(name) ? [[name, decodeURIComponent(value)]] : [],
    ),
  )
  const [, hostThere = '', portThere = ''] = HOST.exec(place) ?? []
  const host =
    moved.get('host') ?? (/^%2f/i.test(hostThere) ? decodeURIComponent(hostThere) : hostThere)
  if (!host) return null
  const socket = host.startsWith('/') ? host : null
  if (socket === null && moved.size === 0) return URL.canParse(text) ? { url: text, socket } : null
  const port = moved.get('port') ?? portThere
  const kept = parameters.filter(([, name]) => name && !MOVED.includes(name)).map(([part]) => part)
  const url = [
    scheme,
    loginOf(login, moved),
    socket === null ? bracketed(host) : 'localhost',
    port && `:${port}`,
    moved.has('dbname') ? `/${encodeURIComponent(moved.get('dbname')!)}` : path,
    kept.length > 0 ? `?${kept.join('&')}` : '',
  ].join('')
  return URL.canParse(url) ? { url, socket } : null
}

function nameAndValue(part: string): [name: string, value: string] {
  const at = part.indexOf('=')
  return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
}

function loginOf(login: string, moved: ReadonlyMap<string, string>): string {
  const at = login.indexOf(':')
  const [user, password] = at < 0 ? [login, ''] : [login.slice(0, at), login.slice(at + 1)]
  const parts = [
    moved.has('user') ? encodeURIComponent(moved.get('user')!) : user,
    moved.has('password') ? encodeURIComponent(moved.get('password')!) : password,
  ]
  if (parts[1]) return `${parts.join(':')}@`
  return parts[0] ? `${parts[0]}@` : ''
}

const bracketed = (host: string): string =>
  host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
