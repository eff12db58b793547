import { lstatSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { plainFile } from '../../base/lib/plain-file.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { lockInstance } from './instance-lock.ts'

/** The lock on a bot's token, or the pid of the daemon that holds it. */
export type TokenLock = { readonly unlock: () => void } | { readonly heldBy: string }

/**
 * Ensures that all daemons of this user, whatever their homes, have only one connection for each token: with two,
 * Discord would send each message to both, and Slack each message to one of them.
 */
export function lockToken(token: string, env: Readonly<Record<string, string | undefined>>): TokenLock {
  const directory = lockDirectory(env)
  const name = join(directory, sha256(`channel\0${token}`).slice(0, 32))
  try {
    const unlock = lockInstance(`${name}.lock`, () => '')
    writeFileSync(`${name}.pid`, String(process.pid), { mode: 0o600 })
    return { unlock }
  } catch (error) {
    if (!(error instanceof IrisError) || error.code !== 'already_running') throw error
    return { heldBy: holderIn(`${name}.pid`) }
  }
}

/** A private directory of this user, outside Iris's home. Throws if it belongs to someone else. */
function lockDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const uid = process.getuid?.() ?? 0
  const directory = join(env['XDG_RUNTIME_DIR'] || tmpdir(), `iris-channels-${uid}`)
  makeDirectory(directory)
  const found = lstatSync(directory)
  if (!found.isDirectory() || found.uid !== uid) throw new Error(`${directory} belongs to another user`)
  return directory
}

function holderIn(file: string): string {
  try {
    return /^\d{1,10}$/.exec(plainFile(file))?.[0] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}
