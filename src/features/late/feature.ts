import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { Reports } from '../../platform/store/reports.ts'
import type { Store } from '../../platform/store/store.ts'
import { late as lateAnswersHandler, type PushSource, withAnnouncement } from './handlers.ts'
import { LateAnswers } from './late-answers.ts'
import { LateReports } from './late-reports.ts'
import { LateAnswerRows } from './rows.ts'

interface Needs {
  readonly clock: Clock
  readonly database: Store
  readonly events: Subject<PublishedEvent>
  readonly log: Log
  readonly reports: Reports
}

/**
 * Answers that come after their caller has stopped waiting: announced with its next call, or pushed into its session.
 * Other features add sources to `pushes`, for what they want to push into open sessions.
 */
export const late = feature('late', ({ clock, database, events, log, reports }: Needs) => {
  const gives = {
    lateAnswers: new LateAnswers({ rows: new LateAnswerRows(database), clock, events }),
    lateReports: new LateReports({ reports, clock, events }),
    pushes: [] as PushSource[],
  }
  return {
    gives,
    handlers: { late_answers: (input, call) => lateAnswersHandler(input, call, gives) },
    afterCall: (name, result, input, call) =>
      name === 'late_answers' ? result : withAnnouncement(result, input, call, { ...gives, log }),
  }
})
