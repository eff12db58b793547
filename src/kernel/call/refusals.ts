import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { AuditEntry, AuditRecords } from '../session/audit-entry.ts'

interface RefusalsParts {
  readonly audit: AuditRecords
  readonly clock: Clock
  readonly log: Log
}

/** The limit for one action of one actor, so that a flood of refusals does not fill the disk. */
const entriesPerMinute = 20
const minuteMs = 60_000
const maxDetailCharacters = 300

interface Minute {
  readonly began: number
  recorded: number
  leftOut: number
}

/** Records refusals in the audit. */
export class Refusals {
  readonly #parts: RefusalsParts
  readonly #minutes = new Map<string, Minute>()

  constructor(parts: RefusalsParts) {
    this.#parts = parts
  }

  /**
   * Above `entriesPerMinute`, refusals are only counted. The next entry of the same kind says how many were left out.
   */
  record({ actor, action, subject, detail }: Pick<AuditEntry, 'actor' | 'action' | 'subject' | 'detail'>): void {
    const { audit, clock, log } = this.#parts
    const { minute, leftOut } = this.#minute(`${action}\0${actor}`)
    if (minute.recorded === entriesPerMinute) {
      minute.leftOut += 1
      return
    }
    minute.recorded += 1
    const shown = { ...cut(detail), ...(leftOut > 0 && { leftOutBefore: leftOut }) }
    try {
      audit.record({ at: clock.now(), actor, action, subject: short(subject), decision: 'refused', detail: shown })
    } catch (error) {
      // The call is refused even if the refusal cannot be recorded.
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
  return text.length > maxDetailCharacters ? `${text.slice(0, maxDetailCharacters).toWellFormed()}…` : text
}
