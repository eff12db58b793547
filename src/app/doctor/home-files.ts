import { accessSync, chmodSync, constants, lstatSync, readdirSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckContext, Diagnosis } from './check-context.ts'

const maxShown = 5
/** The most files to look at, because the home may contain years of transcripts. */
const maxLooked = 50_000
/** More bytes than a full file system may still have room for. */
const probeBytes = 64 * 1024

/** Checks that the home can be written to, and that the home and its files are closed to other users. */
export function homeFiles(context: CheckContext): readonly Diagnosis[] {
  const { home } = context
  const facts = lstatSync(home, { throwIfNoEntry: false })
  const check = 'home'
  if (facts === undefined) return [{ check, state: 'ok', detail: `Iris creates ${home} at its first start` }]
  const trouble = notWritable(home)
  if (trouble !== undefined) {
    const remedy = `ls -ld ${home}; df ${home}`
    return [{ check, state: 'fail', detail: `${home} cannot be used: ${trouble}`, remedy }]
  }
  const secrets = [context.paths.token, context.paths.owner]
  const open = openIn(home).filter((path) => !secrets.includes(path))
  return [openFiles(home, open), ...secrets.flatMap((path) => credential(path, context))]
}

/**
 * Why the home cannot be written to; undefined if it can. Writes a file to find out, because permissions alone show
 * neither a full nor a read-only disk.
 */
function notWritable(home: string): string | undefined {
  const probe = join(home, `.doctor-${process.pid}`)
  try {
    accessSync(home, constants.R_OK | constants.X_OK)
    writeFileSync(probe, 'x'.repeat(probeBytes), { mode: 0o600, flag: 'wx' })
    return undefined
  } catch (error) {
    return wordsFor[(error as NodeJS.ErrnoException).code ?? ''] ?? String(error)
  } finally {
    rmSync(probe, { force: true })
  }
}

const wordsFor: Readonly<Record<string, string>> = {
  EACCES: 'permission denied (EACCES)',
  EPERM: 'permission denied (EPERM)',
  EROFS: 'its file system is read-only (EROFS)',
  ENOSPC: 'the disk is full (ENOSPC)',
  EDQUOT: 'your quota on the disk is used up (EDQUOT)',
  ENOTDIR: 'it is not a directory (ENOTDIR)',
}

function openFiles(home: string, open: readonly string[]): Diagnosis {
  const check = 'home'
  if (open.length === 0) return { check, state: 'ok', detail: `${home} is closed to other users` }
  const more = open.length > maxShown ? ` and ${open.length - maxShown} more` : ''
  return {
    check,
    state: 'warn',
    detail: `other users have rights to ${open.slice(0, maxShown).join(', ')}${more}`,
    remedy: 'iris doctor --fix',
    async fix() {
      const closed = open.filter(close)
      return closed.length === 0 ? undefined : `removed other users' rights to ${closed.join(', ')}`
    },
  }
}

/** False when the file is another user's or no longer exists. */
function close(path: string): boolean {
  try {
    chmodSync(path, lstatSync(path).mode & 0o700)
    return true
  } catch {
    return false
  }
}

/**
 * The home and its files to which other users have rights. The mode of a symbolic link means nothing. A file with a
 * second name is a kept transcript: its mode is that of Claude Code's own file, and others cannot reach this name.
 */
function openIn(home: string): readonly string[] {
  const open: string[] = []
  const left = [home]
  for (let looked = 0; left.length > 0 && looked < maxLooked; looked += 1) {
    const path = left.pop()!
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts === undefined || facts.isSymbolicLink() || isShared(facts)) continue
    if ((facts.mode & 0o077) !== 0) open.push(path)
    if (facts.isDirectory()) left.push(...namesIn(path).map((name) => join(path, name)))
  }
  return open.toSorted()
}

function isShared(facts: Stats): boolean {
  return facts.isFile() && facts.nlink > 1
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** A credential that others could read may be known to them: closing the file would only hide that. */
function credential(path: string, { lock }: CheckContext): readonly Diagnosis[] {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  const check = 'credential'
  if (facts === undefined || isOwn(facts)) return []
  if (!facts.isFile() || facts.uid !== (process.getuid?.() ?? facts.uid)) {
    const detail = `${path} is not a regular file that you own, so Iris cannot keep a secret in it`
    return [{ check, state: 'fail', detail, remedy: `mv ${path} ${path}.old, then "iris restart" creates one` }]
  }
  const detail = `other users could read ${path}, so they may know the secret`
  if (lock.state !== 'free') {
    return [
      {
        check,
        state: 'warn',
        detail,
        remedy: 'iris restart (creates a new one; give it to the programs that have the old one)',
      },
    ]
  }
  return [
    {
      check,
      state: 'warn',
      detail,
      remedy: `rm ${path} (Iris creates a new one; give it to the programs that have the old one)`,
      async fix() {
        rmSync(path, { force: true })
        return `removed ${path}, which others could read: Iris creates a new one at its next start`
      },
    },
  ]
}

function isOwn(facts: Stats): boolean {
  return facts.isFile() && facts.uid === (process.getuid?.() ?? facts.uid) && (facts.mode & 0o077) === 0
}
