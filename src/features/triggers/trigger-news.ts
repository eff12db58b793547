import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { mainThread } from '../../base/protocol/pair.ts'
import { roleThread } from '../../base/protocol/role.ts'
import { triggerAsker } from '../../base/protocol/trigger.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { TriggerConfig } from '../../platform/config/config.ts'
import { pathsOf } from '../../platform/config/event-paths.ts'
import type { InboxRows } from '../inbox/rows.ts'
import { subjectOf } from '../inbox/subject.ts'

export interface TriggerNewsParts {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly sessions: Pick<Sessions, 'open'>
  readonly inboxRows: Pick<InboxRows, 'cameAgain'>
  readonly publish: (event: IrisEvent) => void
}

const dayMs = 86_400_000

/** Tells the owner, once a day in the inbox, that events of a trigger became no messages. */
export class TriggerNews {
  readonly #parts: TriggerNewsParts

  constructor(parts: TriggerNewsParts) {
    this.#parts = parts
  }

  /** Never throws: the sender is answered anyway. */
  tell({ name, team, role, thread }: TriggerConfig): void {
    const { clock, log, sessions, inboxRows, publish } = this.#parts
    try {
      // The inbox lists conversations. If the thread depends on the event's values, the conversation is not known here,
      // so the main one is used.
      const own = pathsOf(thread).length === 0 ? thread : mainThread
      const session = sessions.open({ from: triggerAsker(name), to: team, thread: roleThread(role, own) })
      const subject = subjectOf('event', session.sessionId)
      if (inboxRows.cameAgain(subject, session.row.id, clock.now(), dayMs))
        publish({ type: 'inbox-changed', ...session.ids })
    } catch (error) {
      log.warn(`the inbox does not say that an event became no message: ${String(error)}`)
    }
  }
}
