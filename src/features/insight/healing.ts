import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import type { Config } from '../../platform/config/config.ts'
import { isStoreTrouble } from '../../platform/store/store-trouble.ts'
import { type FaultName, type Finding, faultsIn, healedByAnAnswer, type Verified } from './faults.ts'
import type { HealingRow, HealingRows } from './rows/healings.ts'

export interface HealingParts {
  readonly rows: HealingRows
  readonly config: () => Pick<Config, 'insight'>
  readonly publish: (event: IrisEvent) => void
}

/**
 * Records each fault from its discovery until its healing is confirmed. It only listens to the events of the parts that
 * heal; it decides nothing, and nothing waits for it.
 */
export class Healing {
  readonly #parts: HealingParts
  /** Unhealed faults, by fault and subject. */
  readonly #open: Map<string, HealingRow>
  /** The `notBefore` of faults, by fault and subject. A restart forgets it. */
  readonly #notBefore = new Map<string, number>()

  constructor(parts: HealingParts) {
    this.#parts = parts
    this.#open = new Map(parts.rows.open().map((row) => [keyOf(row), row]))
  }

  get rows(): Pick<HealingRows, 'list'> {
    return this.#parts.rows
  }

  /** If the store cannot be written, only the record of a fault is lost, not its healing. */
  take(event: PublishedEvent): void {
    // This event is published for every line of the CLI, which is too often.
    if (event.type === 'turn-message') return
    try {
      this.#record(event)
    } catch (error) {
      // Throwing does not stop the publisher. The daemon reports any other error as its own fault, and later events
      // still arrive here.
      if (!isStoreTrouble(error)) throw error
    }
  }

  #record(event: PublishedEvent): void {
    const { found, healed, verified } = faultsIn(event)
    if (this.#parts.config().insight.healing) {
      if (found !== undefined) this.#find(found, event.at)
      if (healed !== undefined) this.#heal(this.#find(healed, event.at), event.at)
    }
    // Also heals faults that were found before healing was switched off.
    for (const proof of verified) for (const row of this.#provenBy(proof, event.at)) this.#heal(row, event.at)
  }

  /** A fault that persists has one row. */
  #find(finding: Finding, at: number): HealingRow {
    if (finding.notBefore !== undefined) this.#notBefore.set(keyOf(finding), finding.notBefore)
    const known = this.#open.get(keyOf(finding))
    if (known !== undefined) return known
    const { fault, subject, found, action, undo } = finding
    const row = this.#parts.rows.add({
      fault,
      subject,
      found,
      action,
      undo: undo ?? null,
      foundAt: finding.foundAt ?? at,
    })
    this.#open.set(keyOf(row), row)
    this.#parts.publish({ type: 'fault-found', fault, subject, action })
    return row
  }

  #heal(row: HealingRow, at: number): void {
    this.#parts.rows.heal(row.id, at)
    this.#open.delete(keyOf(row))
    this.#notBefore.delete(keyOf(row))
    const { fault, subject, foundAt } = row
    this.#parts.publish({ type: 'fault-healed', fault, subject, tookMs: Math.max(0, at - foundAt) })
  }

  #provenBy({ fault, subject, isLate = false }: Verified, at: number): readonly HealingRow[] {
    if (this.#open.size === 0) return []
    return [...this.#open.values()].filter(
      (row) =>
        row.subject === subject &&
        (!isLate || at >= (this.#notBefore.get(keyOf(row)) ?? 0)) &&
        (fault === undefined ? healedByAnAnswer.has(row.fault as FaultName) : row.fault === fault),
    )
  }
}

function keyOf({ fault, subject }: { readonly fault: string; readonly subject: string }): string {
  return `${fault} ${subject}`
}
