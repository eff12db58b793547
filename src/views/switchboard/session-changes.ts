import type { Observable, Subscription } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import type { SwitchboardSession } from '../../base/protocol/session-view.ts'
import { isStoreTrouble } from '../../platform/store/store-trouble.ts'

export interface SessionChangesParts {
  readonly clock: Clock
  readonly publish: (event: IrisEvent) => void
  /** The current state of these sessions and of the pool. */
  readonly view: (sessionIds: readonly string[]) => {
    readonly sessions: readonly SwitchboardSession[]
    readonly pool: { readonly activeProcesses: number; readonly maxProcesses: number }
  }
}

/** How long changes are gathered. */
const restMs = 250

/**
 * Publishes the state of a session after events about it, so that readers of events need not send another request or
 * know what an event changes. However much happens, a session is published at most four times a second.
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
    // There can be thousands of lines; the end of their turn publishes what they changed.
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
      // If the store cannot be read, readers get only the events themselves.
      if (!isStoreTrouble(error)) throw error
    }
  }
}
