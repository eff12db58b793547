import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Audit, AuditEntry } from '../../platform/store/audit.ts'

interface RefusalsParts {
  readonly audit: Audit
  readonly clock: Clock
  readonly log: Log
}

/** Of one kind, from one side; a flood must not fill the disk. */
const entriesPerMinute = 20
const minuteMs = 60_000
const longestText = 300

interface Minute {
  readonly began: number
  recorded: number
  leftOut: number
}

/** What was refused to whom, in the audit. */
export class Refusals {
  readonly #parts: RefusalsParts
  readonly #minutes = new Map<string, Minute>()

  constructor(parts: RefusalsParts) {
    this.#parts = parts
  }

  /** Beyond so many in a minute it is only counted; the next entry of the kind says how many were. */
  record({ actor, action, subject, detail }: Pick<AuditEntry, 'actor' | 'action' | 'subject' | 'detail'>): void {
    const { audit, clock, log } = this.#parts
    const { minute, leftOut } = this.#minute(`${action}\0${actor}`)
    if (minute.recorded === entriesPerMinute) {
      minute.leftOut += 1
      return
    }
    minute.recorded += 1
    const told = { ...cut(detail), ...(leftOut > 0 && { leftOutBefore: leftOut }) }
    try {
      audit.record({ at: clock.now(), actor, action, subject: short(subject), decision: 'refused', detail: told })
    } catch (error) {
      // It stays refused, whether it can be written down or not.
      log.error(`a refusal could not be recorded: ${String(error)}`, { actor, action })
    }
  }

  #minute(key: string): { minute: Minute; leftOut: number } {
    const now = this.#parts.clock.elapsed()
    const last = this.#minutes.get(key)
    if (last && now - last.began < minuteMs) return { minute: last, leftOut: 0 }
    const minute = { began: now, recorded: 0, leftOut: 0 }
    this.#minutes.set(key, minute)
    return { minute, leftOut: last?.leftOut ?? 0 }
  }
}

function cut(detail: AuditEntry['detail'] = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [name, typeof value === 'string' ? short(value) : value]),
  )
}

function short(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText).toWellFormed()}…` : text
}
