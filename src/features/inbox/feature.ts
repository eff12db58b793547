import type { Log } from '../../base/lib/log.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { SessionRow } from '../../platform/store/sessions.ts'
import type { Store } from '../../platform/store/store.ts'
import { type MarkParts, mark } from './handlers.ts'
import { type InboxChange, InboxNews } from './inbox-news.ts'
import { InboxRows } from './rows.ts'

interface Needs extends Omit<MarkParts, 'inboxRows' | 'inboxNews' | 'idsOf'> {
  readonly database: Store
  readonly log: Log
  readonly events: Pick<Subject<PublishedEvent>, 'subscribe'>
  readonly sessions: { rowOf(session: number): Pick<SessionRow, keyof InboxChange> }
}

/** The owner's marks on inbox rows: done, snoozed, pinned. */
export const inbox = feature('inbox', (parts: Needs) => {
  const { database, log, sessions } = parts
  const inboxRows = new InboxRows(database)
  const idsOf = (session: number): InboxChange => {
    const { from, to, thread, sessionId } = sessions.rowOf(session)
    return { from, to, thread, sessionId }
  }
  const inboxNews = new InboxNews({ ...parts, rows: inboxRows, idsOf, log: log.for('inbox') })
  const gives = { inboxRows, inboxNews, idsOf }
  return {
    gives,
    handlers: { mark_inbox: (input) => mark(input, { ...parts, ...gives }) },
    close: () => inboxNews.close(),
  }
})
