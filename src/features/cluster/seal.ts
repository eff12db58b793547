import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import type { Letter } from './ports.ts'

/** A host's key pair, Ed25519. The private key never leaves the host's home. */
export class Seal {
  readonly #key: KeyObject
  /** Base64url. */
  readonly publicKey: string

  constructor(privateKeyPem: string) {
    this.#key = createPrivateKey(privateKeyPem)
    this.publicKey = createPublicKey(this.#key).export({ type: 'spki', format: 'der' }).toString('base64url')
  }

  /** A new private key, PEM. */
  static make(): string {
    return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  }

  /** The letter's text, preceded by a signature that covers the text, its sender, addressee, turn and kind. */
  seal(from: string, to: string, letter: Letter): string {
    return `${this.sign(signedBytes(from, to, letter))}\n${letter.text}`
  }

  /** Base64url. */
  sign(bytes: Uint8Array): string {
    return sign(null, bytes, this.#key).toString('base64url')
  }
}

/** The text of a sealed letter. Undefined unless the holder of this public key has sealed the letter for this host. */
export function openSealed(publicKey: string, from: string, to: string, sealed: Letter): string | undefined {
  const end = sealed.text.indexOf('\n')
  if (end === -1) return undefined
  const [signature, text] = [sealed.text.slice(0, end), sealed.text.slice(end + 1)]
  return isSigned(publicKey, signedBytes(from, to, { ...sealed, text }), signature) ? text : undefined
}

/** Whether the holder of this public key has signed these bytes. */
export function isSigned(publicKey: string, bytes: Uint8Array, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), type: 'spki', format: 'der' })
    return verify(null, bytes, key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

function signedBytes(from: string, to: string, { turn, kind, text }: Letter): Buffer {
  return Buffer.from([from, to, turn, kind, text].join('\n'))
}
