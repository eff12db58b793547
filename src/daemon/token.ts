import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** The programs' bearer token: 256 random bits, base64url, made at the first start, in a file only its owner can read. */
export function ensureToken(path: string): string {
  if (!existsSync(path)) {
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  }
  return readFileSync(path, 'utf8').trim()
}
