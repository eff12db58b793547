import { randomBytes } from 'node:crypto'
import { lstatSync, type Stats } from 'node:fs'
import type { Log } from '../../base/lib/log.ts'
import { plainFile } from '../../base/lib/plain-file.ts'
import { replaceFile } from '../../base/lib/replace-file.ts'
import { IrisError } from '../../base/protocol/error.ts'

const bytes = 32
const shape = /^[A-Za-z0-9_-]{43}$/

/**
 * A bearer token: 256 random bits, base64url, made at the first start, in a file that only its owner can read. If
 * others could read the file, the token is replaced. Throws `config_invalid` when the path is no plain file of this
 * user.
 */
export function credentialIn(path: string, log: Log): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return made(path)
  refuseForeign(path, found)
  // A file longer than `shape` allows holds no token.
  const text = found.size > 100 ? '' : plainFile(path).trim()
  if ((found.mode & 0o077) === 0 && shape.test(text)) return text
  const why =
    (found.mode & 0o077) === 0 ? 'held no token' : `could be read by others (mode ${(found.mode & 0o777).toString(8)})`
  log.warn(`${path} ${why}: a new token has been made; programs with the old token need it`)
  return made(path)
}

/** Written atomically, and never into a file that another process has open. */
function made(path: string): string {
  const token = randomBytes(bytes).toString('base64url')
  replaceFile(path, `${token}\n`)
  return token
}

function refuseForeign(path: string, found: Stats): void {
  const own = process.getuid?.() ?? found.uid
  if (found.isFile() && found.uid === own) return
  throw new IrisError(
    'config_invalid',
    `${path} is ${found.isFile() ? `a file of another user (${found.uid})` : 'not a regular file'}, so Iris cannot keep a secret in it.`,
    'Move it away. Iris creates a new one at its next start.',
  )
}
