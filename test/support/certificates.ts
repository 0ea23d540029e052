import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'

/** A key and a certificate for it, as PEM for a TLS server. */
export type Certified = { readonly key: string; readonly cert: string }

/** Signs certificates; `cert` is its own, which clients have to trust. */
export type Authority = { readonly name: string; readonly cert: string; readonly key: KeyObject }

type Content = {
  readonly subject: string
  readonly issuer: { readonly name: string; readonly key: KeyObject }
  readonly publicKey: KeyObject
  readonly extensions?: readonly Buffer[]
}

/** A fresh key and its self-signed certificate. */
export function selfSigned(name: string): Certified {
  const { privateKey, publicKey } = newKeys()
  const cert = certificate({ subject: name, issuer: { name, key: privateKey }, publicKey })
  return { key: pemOf(privateKey), cert }
}

export function newAuthority(name: string): Authority {
  const { privateKey: key, publicKey } = newKeys()
  const extensions = [extension('551d13', der(0x30, der(0x01, Buffer.from([0xff]))))]
  return {
    name,
    key,
    cert: certificate({ subject: name, issuer: { name, key }, publicKey, extensions }),
  }
}

/** A fresh key, and a certificate of the authority for this host. */
export function signedFor(host: string, issuer: Authority): Certified {
  const { privateKey, publicKey } = newKeys()
  const extensions = [extension('551d11', der(0x30, der(0x82, Buffer.from(host))))]
  const cert = certificate({ subject: host, issuer, publicKey, extensions })
  return { key: pemOf(privateKey), cert }
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

let serial = 0

function certificate({ subject, issuer, publicKey, extensions = [] }: Content): string {
  const algorithm = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([++serial])),
    algorithm,
    nameOf(issuer.name),
    der(0x30, utcTime('200101000000Z'), utcTime('491231235959Z')),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [der(0xa3, der(0x30, ...extensions))] : []),
  )
  const signature = createSign('sha256').update(content).sign(issuer.key)
  const whole = der(0x30, content, algorithm, der(0x03, Buffer.from([0]), signature))
  const body = whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`
}

const nameOf = (commonName: string): Buffer => {
  const type = der(0x06, Buffer.from('550403', 'hex'))
  return der(0x30, der(0x31, der(0x30, type, der(0x0c, Buffer.from(commonName)))))
}

const extension = (id: string, value: Buffer): Buffer =>
  der(0x30, der(0x06, Buffer.from(id, 'hex')), der(0x04, value))

const utcTime = (text: string): Buffer => der(0x17, Buffer.from(text))

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
