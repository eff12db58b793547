/** Selects conversations. A field that is undefined does not narrow the selection. */
export interface SessionFilter {
  /** Each of these participants must ask or answer in the conversation. */
  readonly participants: readonly string[]
  readonly from: string | undefined
  readonly to: string | undefined
  readonly thread: string | undefined
  /** Only conversations used at or after this time, milliseconds since the epoch. */
  readonly since: number | undefined
}

export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

/** SQL conditions on the columns of team_sessions. */
export function conditionsOf({ participants, from, to, thread, since }: SessionFilter): Condition[] {
  const conditions = participants.map((participant) => ({
    sql: '(from_team = ? OR to_team = ?)',
    values: [participant, participant],
  }))
  const add = (sql: string, value: string | number | undefined): void => {
    if (value !== undefined) conditions.push({ sql, values: [value] as never })
  }
  add('from_team = ?', from)
  add('to_team = ?', to)
  add('thread = ?', thread)
  add('last_used_at >= ?', since)
  return conditions
}

export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND ') || 'TRUE',
    values: conditions.flatMap(({ values }) => values),
  }
}
