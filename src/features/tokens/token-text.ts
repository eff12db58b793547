import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** By this beginning and the checksum, scanners of leaked secrets know a token of Iris without asking Iris. */
const prefix = 'iris_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Digits of 256 bits, and of the 32 of a checksum. */
const [secretLength, sumLength] = [43, 6]
const shape = new RegExp(`^${prefix}([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${sumLength}})$`)

/** `iris_`, 256 random bits, and their checksum, in letters and digits. */
export function newToken(random: (bytes: number) => Buffer = randomBytes): string {
  const secret = inDigits(BigInt(`0x${random(32).toString('hex')}`), secretLength)
  return `${prefix}${secret}${sumOf(secret)}`
}

/** Whether a text can be such a token. What was mistyped or cut needs no look at the tokens. */
export function isTokenText(text: string): boolean {
  const [, secret, sum] = shape.exec(text) ?? []
  return secret !== undefined && sumOf(secret) === sum
}

function sumOf(secret: string): string {
  return inDigits(BigInt(crc32(secret)), sumLength)
}

function inDigits(value: bigint, length: number): string {
  let text = ''
  for (let left = value; text.length < length; left /= 62n) text = digits[Number(left % 62n)]! + text
  return text
}
