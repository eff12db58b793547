import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import type { SessionRow } from '../../platform/store/sessions.ts'
import type { Store } from '../../platform/store/store.ts'
import { type InboxChange, InboxNews } from './inbox-news.ts'
import { InboxRows } from './rows.ts'

interface Around {
  readonly clock: Clock
  readonly log: Log
  readonly events: Pick<Subject<PublishedEvent>, 'subscribe'>
  readonly publish: (event: IrisEvent) => void
  readonly sessions: { rowOf(session: number): Pick<SessionRow, keyof InboxChange> }
}

/** What the daemon keeps of the owner's inbox. */
export function composeInbox(store: Store, { sessions, log, ...around }: Around) {
  const inboxRows = new InboxRows(store)
  const idsOf = (session: number): InboxChange => {
    const { from, to, thread, sessionId } = sessions.rowOf(session)
    return { from, to, thread, sessionId }
  }
  const inboxNews = new InboxNews({ ...around, rows: inboxRows, idsOf, log: log.for('inbox') })
  return { inboxRows, inboxNews, idsOf }
}
