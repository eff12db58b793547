/** The asker of a message from no team: a person at a console or a program. Not NULL, which would defeat UNIQUE. */
export const external = 'external'

/** The asker's name for people: "you" for an asker without a team. */
export function askerName(asker: string): string {
  return asker === external ? 'you' : asker
}

/** The default thread. */
export const mainThread = 'main'

/** The directional pair and its thread, which identify a session. */
export interface Pair {
  readonly from: string
  readonly to: string
  readonly thread: string
}

/** The pair as people read it. */
export function shownPair(pair: Pair): string {
  return pairText({ ...pair, from: askerName(pair.from) })
}

export function pairText({ from, to, thread }: Pair): string {
  return thread === mainThread ? `${from}→${to}` : `${from}→${to} (${thread})`
}
