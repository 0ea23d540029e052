import { createSign, generateKeyPairSync } from 'node:crypto'

/** A fresh key and a certificate for it that nobody else has signed, as PEM for a TLS server. */
export function selfSigned(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const commonName = der(0x06, Buffer.from('550403', 'hex'))
  const subject = der(0x30, der(0x31, der(0x30, commonName, der(0x0c, Buffer.from(name)))))
  const validity = der(0x30, utcTime('200101000000Z'), utcTime('491231235959Z'))
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = createSign('sha256').update(content).sign(privateKey)
  const certificate = der(0x30, content, algorithm, der(0x03, Buffer.from([0]), signature))
  const body = certificate.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  }
}

const utcTime = (text: string): Buffer => der(0x17, Buffer.from(text))

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
