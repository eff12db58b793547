import type { Clock } from '../../base/lib/clock.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { Observable, Subject } from '../../base/lib/subject.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'

/**
 * Publishes events. Claude Code's lines come by the thousand and few subscribers need them, so they have their own
 * subject. Secrets are hidden, except in agents' messages and permission questions, which people must see as they are.
 */
export class Publisher {
  readonly #clock: Clock
  readonly #secrets: Secrets
  readonly #lines = new Subject<PublishedEvent>()
  #sequence = 0
  /** All events but the lines of the CLI. */
  readonly events = new Subject<PublishedEvent>()
  /** All events and the lines, in the order of their numbers. */
  readonly everything$ = new Observable<PublishedEvent>((subscriber) => {
    this.#lines.subscribe(subscriber)
    this.events.subscribe(subscriber)
  })

  constructor(clock: Clock, secrets: Secrets) {
    this.#clock = clock
    this.#secrets = secrets
  }

  readonly publish = (event: IrisEvent): void => {
    const shown = isOfAgents(event) ? event : this.#secrets.hideIn(event)
    const subject = event.type === 'turn-message' ? this.#lines : this.events
    subject.next({ ...shown, sequence: ++this.#sequence, at: this.#clock.now() })
  }
}

function isOfAgents({ type }: IrisEvent): boolean {
  return type === 'turn-message' || type.startsWith('permission:')
}
