import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The prefix and the checksum let scanners of leaked secrets recognize a token without asking Iris. */
const prefix = 'iris_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The numbers of digits for 256 bits, and for the 32 bits of a checksum. */
const [secretLength, sumLength] = [43, 6]
const shape = new RegExp(`^${prefix}([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${sumLength}})$`)

/** `iris_`, 256 random bits, and their checksum, in letters and digits. */
export function newToken(random: (bytes: number) => Buffer = randomBytes): string {
  const secret = inDigits(BigInt(`0x${random(32).toString('hex')}`), secretLength)
  return `${prefix}${secret}${sumOf(secret)}`
}

/** Whether a text can be a token. A mistyped or cut token needs no lookup. */
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
