import { readFileSync } from 'node:fs'
import type { OracleEntry } from '../fake-claude/oracle-event.ts'

export type { OracleEntry }

/** Entries in the order they were written; none when there is no file yet. */
export function readOracle(path: string): OracleEntry[] {
  const text = readIfThere(path)
  // Text after the last line feed is still being written.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

export interface Overlap {
  readonly session: string
  /** The process that took the session up, and one that had not let go of it. */
  readonly pids: readonly [number, number]
  readonly at: number
}

/** Moments at which two living processes held one session. Must be empty: one writer per session. */
export function overlappingWriters(entries: readonly OracleEntry[]): Overlap[] {
  const owners = new Map<string, number>()
  const overlaps: Overlap[] = []
  for (const entry of entries) {
    const { session, pid, at } = entry
    const owner = owners.get(session)
    if (entry.event === 'start' || entry.event === 'resume') {
      for (const alive of entry.aliveWriters ?? []) overlaps.push({ session, pids: [pid, alive], at })
      owners.set(session, pid)
    } else if (entry.event !== 'refused' && owner !== undefined && owner !== pid) {
      overlaps.push({ session, pids: [owner, pid], at })
    }
  }
  return overlaps
}

/** Messages that were run, in order; one that stands here twice was executed twice. */
export function deliveredUuids(entries: readonly OracleEntry[]): string[] {
  return entries.flatMap((entry) => (entry.event === 'message' && entry.ran ? [entry.uuid] : []))
}

export interface Effect {
  readonly path: string
  readonly line: string
  /** The message it was made for. */
  readonly uuid: string
  readonly pid: number
}

/** The effects of the tools, in order. */
export function effects(entries: readonly OracleEntry[]): Effect[] {
  return entries.flatMap((entry) => {
    if (entry.event !== 'effect') return []
    const { path, line, uuid, pid } = entry
    return [{ path, line, uuid, pid }]
  })
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
