import type { Log } from '../../base/lib/log.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { TranscriptFiles } from '../../claude/transcript/transcript-files.ts'
import { AgentConversations } from '../../core/orchestrator/agent-conversations.ts'
import { LateAnswers } from '../../core/orchestrator/late-answers.ts'
import { LateReports } from '../../core/orchestrator/late-reports.ts'
import type { LiveAsks } from '../../core/orchestrator/live-asks.ts'
import type { Orchestrator } from '../../core/orchestrator/orchestrator.ts'
import type { SchedulePlan } from '../../core/orchestrator/plan.ts'
import { type ScheduledAsk, Schedules, type SchedulesParts } from '../../core/orchestrator/schedules.ts'
import { SessionHandles, type SessionHandlesParts } from '../../core/orchestrator/session-handle.ts'
import { Turns } from '../../core/orchestrator/turn-handle.ts'
import type { TypedAsks } from '../../core/orchestrator/typed-asks.ts'
import { LateAnswerRows } from '../../platform/store/late-answers.ts'
import { Reports } from '../../platform/store/reports.ts'
import { ScheduleRows } from '../../platform/store/schedules.ts'
import type { Composed } from './whole.ts'

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
  return {
    turns,
    sessions: new SessionHandles(parts),
    agentConversations: new AgentConversations({ ...parts, turns }),
    lateAnswers: new LateAnswers({ rows: new LateAnswerRows(store), clock: parts.clock, events }),
    lateReports: new LateReports({ reports: new Reports(store), clock: parts.clock, events }),
    schedules: new Schedules({ ...parts, ...ofSchedules, turns, live: parts.liveAsks }),
  }
}
