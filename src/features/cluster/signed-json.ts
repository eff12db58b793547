import { isSigned, type Seal } from './seal.ts'

/** The signature is the last field, so that an Iris without signatures can read the rest. */
const tail = /,"signature":"([\w-]{1,200})"\}$/

/** A JSON object as text, signed together with `about`: what the object is, from whom and for whom. */
export function signJson(json: string, about: readonly string[], seal: Seal): string {
  return `${json.slice(0, -1)},"signature":"${seal.sign(signedBytes(json, about))}"}`
}

export function hasSignature(text: string): boolean {
  return tail.test(text)
}

/** The JSON object that the holder of this public key has signed. Undefined if the signature is missing or wrong. */
export function openJson(text: string, about: readonly string[], publicKey: string): string | undefined {
  const found = tail.exec(text)
  if (found === null) return undefined
  const json = `${text.slice(0, found.index)}}`
  return isSigned(publicKey, signedBytes(json, about), found[1]!) ? json : undefined
}

function signedBytes(json: string, about: readonly string[]): Buffer {
  return Buffer.from([...about, json].join('\n'))
}
