import type { Log } from '../../base/lib/log.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { TranscriptFiles } from '../../claude/transcript/transcript-files.ts'
import { composeInbox } from '../../features/inbox/compose-inbox.ts'
import { LateAnswers } from '../../features/late/late-answers.ts'
import { LateReports } from '../../features/late/late-reports.ts'
import { LateAnswerRows } from '../../features/late/rows.ts'
import type { LiveAsks } from '../../features/live/live-asks.ts'
import { ScheduleRows } from '../../features/schedules/rows.ts'
import { type ScheduledAsk, Schedules, type SchedulesParts } from '../../features/schedules/schedules.ts'
import type { TypedAsks } from '../../features/typed/typed-asks.ts'
import { AgentConversations } from '../../kernel/accept/agent-conversations.ts'
import type { Orchestrator } from '../../kernel/accept/orchestrator.ts'
import { SessionHandles, type SessionHandlesParts } from '../../kernel/accept/session-handle.ts'
import { Turns } from '../../kernel/accept/turn-handle.ts'
import type { SchedulePlan } from '../../kernel/turn/plan.ts'
import { Reports } from '../../platform/store/reports.ts'
import type { Composed } from './surroundings.ts'

interface HandlesParts extends SessionHandlesParts, Pick<SchedulesParts, 'clock' | 'config' | 'elsewhere' | 'publish'> {
  readonly orchestrator: Orchestrator
  readonly typed: TypedAsks
  readonly liveAsks: LiveAsks
  readonly transcripts: TranscriptFiles
}

interface Around extends Pick<Composed, 'store'> {
  readonly events: Subject<PublishedEvent>
  readonly log: Log
}

/** The handles that operations have of turns and conversations: data and ids. */
export function composeHandles(parts: HandlesParts, { store, events, log }: Around) {
  const turns = new Turns(parts.orchestrator, parts.typed, parts.liveAsks, parts)
  const ofSchedules = { rows: new ScheduleRows<ScheduledAsk, SchedulePlan>(store), log: log.for('schedules') }
  const inbox = composeInbox(store, { ...parts, events, log })
  const schedules = new Schedules({ ...parts, ...ofSchedules, turns, live: parts.liveAsks })
  return {
    turns,
    ...inbox,
    sessions: new SessionHandles(parts),
    agentConversations: new AgentConversations({ ...parts, turns }),
    lateAnswers: new LateAnswers({ rows: new LateAnswerRows(store), clock: parts.clock, events }),
    lateReports: new LateReports({ reports: new Reports(store), clock: parts.clock, events }),
    schedules,
    closing: [schedules, inbox.inboxNews],
  }
}
