/** The levels, in order of severity. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const

/** The fields of a log entry that filters look at. */
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

interface LogFilter {
  readonly team?: string | undefined
  /** The first characters of an id are enough. */
  readonly session?: string | undefined
  /** Case is ignored. */
  readonly text?: string | undefined
}

/** An entry as one line of JSON, as in the log. */
export function rawLine({ timestamp, level, context, message, ids }: LoggedEntry): string {
  return JSON.stringify({ level, timestamp: new Date(timestamp).toISOString(), context, ...ids, message })
}

/**
 * Whether an entry matches every given filter. A team matches by the entry's context (`process:<team>`), or by an id
 * that names the team, a list that contains the team, or one of its pairs. A session is compared with the beginning of
 * an id, a text with the message and the ids.
 */
export function isAbout({ team, session, text }: LogFilter, { context, message, ids }: Said): boolean {
  const values = Object.values(ids)
  return (
    (team === undefined || context.split(':')[1] === team || values.some((id) => names(id, team))) &&
    (session === undefined || values.some((id) => typeof id === 'string' && id.startsWith(session))) &&
    (text === undefined || `${message} ${JSON.stringify(ids)}`.toLowerCase().includes(text.toLowerCase()))
  )
}

/** Whether an id names the team, a list that contains the team, or one of its pairs (`frontend→backend (thread)`). */
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

/**
 * The fields of an entry for people: the pair, then `turn=1f2e3d4c duration=1.25s in=12000 out=34`. Ids are shortened,
 * `in` is the sum of all tokens that the model read, and empty fields are left out.
 */
export function fieldsText(ids: Readonly<Record<string, unknown>>): string {
  const { pair, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, ...fields } = ids
  const texts = Object.entries(fields).flatMap(([name, value]) => fieldText(name, value) ?? [])
  const read = [inputTokens, cacheReadTokens, cacheWriteTokens].reduce<number>(
    (sum, part) => sum + (Number(part) || 0),
    0,
  )
  const tokens = outputTokens === undefined ? [] : [`in=${read} out=${Number(outputTokens)}`]
  return [...(typeof pair === 'string' ? [pair] : []), ...texts, ...tokens].join(' ')
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function fieldText(name: string, value: unknown): string | undefined {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return undefined
  if (typeof value === 'number' && name.endsWith('Ms')) return `${name.slice(0, -2)}=${secondsText(value)}`
  if (name === 'costUsd') return `cost=$${Number(value).toFixed(4)}`
  if (typeof value === 'string' && uuid.test(value)) return `${name.replace(/Id$/, '')}=${value.slice(0, 8)}`
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return `${name}=${value.join(',')}`
  return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
}

function secondsText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)}ms` : `${(ms / 1000).toFixed(ms < 100_000 ? 2 : 0)}s`
}
