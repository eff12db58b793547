/** A piece of a line; the screen makes its text safe for terminals. */
export interface Span {
  readonly text: string
  readonly color?: 'red' | 'yellow' | 'green' | 'cyan'
  readonly bold?: boolean
  readonly dim?: boolean
}

/** One row of the screen. */
export type Line = readonly Span[]

export function plain(text: string): Line {
  return [{ text }]
}

export function dim(text: string): Line {
  return [{ text, dim: true }]
}

/** `42s`, `3m`, `2h`, `5d` */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`
}

/** As many rows as fit, with the chosen one among them. */
export function around<Row>(rows: readonly Row[], chosen: number, height: number): readonly Row[] {
  const first = Math.max(0, Math.min(chosen - Math.floor(height / 2), rows.length - height))
  return rows.slice(first, first + height)
}
