import type { Row } from './row.ts'

/** When and where a run measured. */
interface Run {
  /** ISO 8601, UTC. */
  readonly at: string
  /** The commit, short. With "+" if files differed from it. Empty if it is not known. */
  readonly commit: string
  /** The load average of the last minute when the run began: a quiet machine is below 2. */
  readonly load: number
}

export const historyColumns = ['at', 'commit', 'load', 'id', 'what', 'aim', 'measured'] as const

/** A line for each row of a run, as RFC 4180 writes them. docs/performance.md shows only today's figures. */
export function historyLines(rows: readonly Row[], { at, commit, load }: Run): string {
  return rows
    .map(({ id, what, aim, measured }) => [at, commit, load.toFixed(1), id, what, aim, measured])
    .map((cells) => `${cells.map(quoted).join(',')}\n`)
    .join('')
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
