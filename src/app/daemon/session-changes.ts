import type { Observable, Subscription } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import type { SwitchboardSession } from '../../base/protocol/operations/switchboard.ts'
import { isStoreTrouble } from '../../platform/store/store-trouble.ts'

export interface SessionChangesParts {
  readonly clock: Clock
  readonly publish: (event: IrisEvent) => void
  /** How they and the pool stand now. */
  readonly view: (sessionIds: readonly string[]) => {
    readonly sessions: readonly SwitchboardSession[]
    readonly pool: { readonly activeProcesses: number; readonly maxProcesses: number }
  }
}

/** Between two tellings of the same session. */
const restMs = 250

/**
 * Tells how a session stands once something has happened to it, so that a reader of the events needs no question and no
 * knowledge of what follows from what. However much happens, each is told of four times a second at most.
 */
export class SessionChanges {
  readonly #parts: SessionChangesParts
  readonly #changed = new Set<string>()
  readonly #subscription: Subscription
  #cancelTimer: (() => void) | undefined

  constructor(events: Observable<PublishedEvent>, parts: SessionChangesParts) {
    this.#parts = parts
    this.#subscription = events.subscribe((event) => this.#note(event))
  }

  close(): void {
    this.#subscription.unsubscribe()
    this.#cancelTimer?.()
  }

  #note(event: PublishedEvent): void {
    // Lines come by the thousand, and what they change is told at the end of their turn.
    if (event.type === 'turn-message' || event.type === 'session-changed') return
    const concerned = 'permission' in event ? event.permission : event
    if (!('sessionId' in concerned)) return
    this.#changed.add(concerned.sessionId)
    this.#cancelTimer ??= this.#parts.clock.after(restMs, () => this.#tell())
  }

  #tell(): void {
    this.#cancelTimer = undefined
    const changed = [...this.#changed]
    this.#changed.clear()
    try {
      const { sessions, pool } = this.#parts.view(changed)
      for (const session of sessions) {
        const { from, to, thread, sessionId } = session
        this.#parts.publish({ type: 'session-changed', session, ...pool, from, to, thread, sessionId })
      }
    } catch (error) {
      // Then readers know what the events themselves say.
      if (!isStoreTrouble(error)) throw error
    }
  }
}
