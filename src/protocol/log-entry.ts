/** From the least to the worst. */
export const logLevelNames = ['debug', 'info', 'warn', 'error'] as const

/** An entry of the log, as far as it tells whom it concerns. */
interface Said {
  readonly context: string
  readonly message: string
  readonly ids: Readonly<Record<string, unknown>>
}

interface LoggedEntry extends Said {
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  readonly level: string
}

export interface LogFilter {
  readonly team?: string | undefined
  readonly session?: string | undefined
  /** In capitals or not. */
  readonly text?: string | undefined
}

/** An entry as it stands in the log itself: one line of JSON. */
export function rawLine({ timestamp, level, context, message, ids }: LoggedEntry): string {
  return JSON.stringify({ level, timestamp: new Date(timestamp).toISOString(), context, ...ids, message })
}

/** Whether an entry is about all of what is named: said by the team's own part, or with it, its pair, the session among the ids. */
export function isAbout({ team, session, text }: LogFilter, { context, message, ids }: Said): boolean {
  return (
    (team === undefined || context.split(':')[1] === team || Object.values(ids).some((id) => names(id, team))) &&
    (session === undefined || Object.values(ids).includes(session)) &&
    (text === undefined || message.toLowerCase().includes(text.toLowerCase()))
  )
}

/** A team by its name, in a list, or as one side of a pair (`frontend→backend (thread)`). */
function names(id: unknown, team: string): boolean {
  if (Array.isArray(id)) return id.includes(team)
  if (typeof id !== 'string') return false
  return (
    id === team ||
    id
      .replace(/ \(.*\)$/, '')
      .split('→')
      .includes(team)
  )
}
