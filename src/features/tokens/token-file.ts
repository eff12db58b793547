import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Log } from '../../base/lib/log.ts'
import { plainFile } from '../../base/lib/plain-file.ts'

const Secret = z.object({
  /** The keyed hash of the token. */
  hash: z.string(),
  madeAt: z.number(),
  /** When the token ends; absent if never. */
  until: z.number().optional(),
})

const Program = z.object({
  teams: z.array(z.string()),
  role: z.string().optional(),
  /** The callbacks that its messages may name. */
  callbacks: z.array(z.string()).optional(),
  calls: z.number().optional(),
  /** The only address, a public one, at which its tokens are valid; absent if they are valid on this machine. */
  address: z.string().optional(),
  /** How long each of its tokens is valid, in milliseconds; absent if each is valid until it is revoked. */
  lifetimeMs: z.number().optional(),
  usedAt: z.number().optional(),
  /** The newest last. */
  secrets: z.array(Secret),
})
export type SavedProgram = z.output<typeof Program>

const Saved = z.object({
  /** Proves that the hashes were made with the key of this home. */
  check: z.string(),
  /** When the shared token was last used since programs got their own tokens, and by which process. */
  sharedUsedAt: z.number().optional(),
  sharedUsedBy: z.string().optional(),
  programs: z.record(z.string(), Program),
})
export type SavedTokens = z.output<typeof Saved>

/** Returns undefined if there is no readable file. Never throws. */
export function readTokens(path: string): SavedTokens | undefined {
  try {
    return Saved.parse(JSON.parse(plainFile(path)))
  } catch {
    return undefined
  }
}

/** Like `readTokens`. An unreadable file is set aside, so that the next write does not replace it. */
export function takeTokens(path: string, log: Log): SavedTokens | undefined {
  const saved = readTokens(path)
  if (saved !== undefined || !existsSync(path)) return saved
  log.error(`${path} cannot be read: no program's own token is valid. The file is kept as ${path}.unreadable`)
  renameSync(path, `${path}.unreadable`)
  return undefined
}

/** Written atomically. Throws the system's error. */
export function writeTokens(path: string, saved: SavedTokens): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(saved)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
