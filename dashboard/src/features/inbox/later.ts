const hourMs = 3_600_000
const minuteMs = 60_000
/** How long before it is denied a snoozed question comes back; the same value as in Iris. */
const beforeDeadlineMs = 5 * minuteMs

/** Until when something can be put off. */
export interface LaterChoice {
  readonly kind: 'hour' | 'evening' | 'tomorrow' | 'week' | 'deadline'
  /** Milliseconds since the epoch. */
  readonly until: number
}

/**
 * The choices in the time zone of the browser, without times that are past or after the deadline of a question. Pure.
 */
export function laterChoices(now: number, deadline: number | undefined): readonly LaterChoice[] {
  const at = (days: number, hours: number): number => {
    const then = new Date(now)
    then.setDate(then.getDate() + days)
    return then.setHours(hours, 0, 0, 0)
  }
  const daysToMonday = (8 - new Date(now).getDay()) % 7 || 7
  const choices: readonly LaterChoice[] = [
    { kind: 'hour', until: now + hourMs },
    { kind: 'evening', until: at(0, 18) },
    { kind: 'tomorrow', until: at(1, 9) },
    { kind: 'week', until: at(daysToMonday, 9) },
  ]
  const last = deadline === undefined ? Number.POSITIVE_INFINITY : deadline - beforeDeadlineMs
  const fitting = choices.filter(({ until }) => until > now + minuteMs && until <= last)
  return deadline === undefined || last <= now + minuteMs ? fitting : [...fitting, { kind: 'deadline', until: last }]
}
