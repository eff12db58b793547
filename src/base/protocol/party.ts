/** Who asks when no team does: a person at a console, or a program. Never NULL: a NULL would defeat UNIQUE. */
export const external = 'external'

/** The thread of a pair that names none. */
export const mainThread = 'main'

/** The directional pair and its thread: what names a session. */
export interface Pair {
  readonly from: string
  readonly to: string
  readonly thread: string
}

export function pairText({ from, to, thread }: Pair): string {
  return thread === mainThread ? `${from}→${to}` : `${from}→${to} (${thread})`
}
