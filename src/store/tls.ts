import { readFileSync } from 'node:fs'
import { type ConnectionOptions, createSecureContext } from 'node:tls'

/** libpq's names for how much TLS has to prove, the weakest first. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof MODES)[number]

/** Parameters that cannot be honoured here and must not be ignored silently. */
const REFUSED = ['sslcrl', 'sslcrldir', 'requiressl']
const UNDERSTOOD = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword']
/** Means the authorities that come with the runtime. */
const SYSTEM = 'system'

/** The driver's `ssl` option; undefined leaves the choice to the driver. */
type Tls = ConnectionOptions | false | 'allow' | 'prefer' | 'require' | undefined

/** An address without its TLS parameters, and the options that they ask for. */
type TlsAddress = { readonly address: string; readonly ssl: Tls }

/**
 * Reads the TLS parameters of an address as libpq would: `require` checks the certificate if
 * `sslrootcert` names an authority, `verify-ca` checks that an authority signed it, and
 * `verify-full` checks its name too. Files are read at once.
 *
 * Throws one sentence, which names the parameter, for a request that cannot be met.
 */
export function tlsOf(url: string): TlsAddress {
  const [address = '', query = ''] = url.split('?')
  try {
    return read(address, query)
  } catch (error) {
    throw new Error(`the address of the database cannot be used: ${(error as Error).message}`)
  }
}

function read(address: string, query: string): TlsAddress {
  const parts = query.split('&').filter((part) => part !== '')
  const nameOf = (part: string) => part.split('=')[0]!
  const asked = new URLSearchParams(parts.join('&'))
  const refused = parts.map(nameOf).find((name) => REFUSED.includes(name))
  if (refused) throw new Error(`${refused} is not supported: leave it out of the address`)
  const kept = parts.filter((part) => !UNDERSTOOD.includes(nameOf(part)))
  return { address: kept.length > 0 ? `${address}?${kept.join('&')}` : address, ssl: sslOf(asked) }
}

function sslOf(asked: URLSearchParams): Tls {
  const root = asked.get('sslrootcert')
  const mode = modeOf(asked.get('sslmode') ?? (root === SYSTEM ? 'verify-full' : null))
  if (root !== null) mustCheck(root, mode)
  const own = ownCertificate(asked)
  if (mode === null || mode === 'disable') {
    if (own) throw new Error('sslcert needs sslmode: set verify-full, or another mode')
    return mode === null ? undefined : false
  }
  const isChecked = mode === 'verify-ca' || mode === 'verify-full' || root !== null
  if (!isChecked && !own) return mode as Tls
  return {
    ...own,
    rejectUnauthorized: isChecked,
    ...(root !== null && root !== SYSTEM && authoritiesIn(root)),
    ...(mode !== 'verify-full' && { checkServerIdentity: anyName }),
  }
}

const anyName = () => undefined

function modeOf(text: string | null): Mode | null {
  const mode = MODES.find((name) => name === text)
  if (text !== null && !mode) throw new Error(`sslmode must be one of ${MODES.join(', ')}`)
  return mode ?? null
}

/** Throws unless the mode checks certificates: a named authority shows that they should be. */
function mustCheck(root: string, mode: Mode | null): void {
  if (root === SYSTEM && mode !== 'verify-full')
    throw new Error('sslrootcert=system needs sslmode=verify-full: others could pose as the server')
  if (mode !== 'require' && mode !== 'verify-ca' && mode !== 'verify-full')
    throw new Error(
      'sslrootcert needs sslmode=verify-full (or verify-ca, which lets the name be another): ' +
        'without it no certificate would be checked',
    )
}

function ownCertificate(asked: URLSearchParams): ConnectionOptions | null {
  const [cert, key] = [asked.get('sslcert'), asked.get('sslkey')]
  if (cert === null && key === null) return null
  if (cert === null || key === null) throw new Error('sslcert and sslkey need each other')
  const passphrase = asked.get('sslpassword')
  const own = { cert: textIn('sslcert', cert), key: textIn('sslkey', key) }
  return usable(`sslcert: ${cert} with sslkey ${key}`, {
    ...own,
    ...(passphrase !== null && { passphrase }),
  })
}

const authoritiesIn = (path: string): ConnectionOptions =>
  usable(`sslrootcert: ${path}`, { ca: textIn('sslrootcert', path) })

/** Checks the files at once: a connection that met a bad one would never report it. */
function usable(what: string, options: ConnectionOptions): ConnectionOptions {
  try {
    createSecureContext(options)
    return options
  } catch (error) {
    throw new Error(`${what} cannot be used: ${(error as Error).message}`)
  }
}

function textIn(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${name}: ${path} cannot be read (${code})`)
  }
}
