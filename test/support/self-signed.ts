import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const part = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(contents)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...contents: readonly Uint8Array[]): Buffer => part(0x30, ...contents)
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')
const time = (text: string): Buffer => part(0x17, Buffer.from(text))

/** A key and a certificate in DER, made for one test: valid for that host, self-signed. */
export function selfSigned(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  })
  const algorithm = sequence(bytes('06082a8648ce3d040302'))
  const name = sequence(part(0x31, sequence(bytes('0603550403'), part(0x0c, Buffer.from(host)))))
  const alternative = sequence(bytes('0603551d11'), part(0x04, sequence(part(0x82, Buffer.from(host)))))
  const toSign = sequence(
    part(0xa0, bytes('020102')),
    part(0x02, Buffer.concat([bytes('01'), randomBytes(8)])),
    algorithm,
    name,
    sequence(time('250101000000Z'), time('491231235959Z')),
    name,
    publicKey,
    part(0xa3, sequence(alternative)),
  )
  const signature = sign('sha256', toSign, createPrivateKey(privateKey))
  const certificate = sequence(toSign, algorithm, part(0x03, bytes('00'), signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g)!
  return {
    key: privateKey,
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}
