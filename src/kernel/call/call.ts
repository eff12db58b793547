import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { LogRing } from '../../base/lib/log-ring.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { StoreView } from '../../base/protocol/store.ts'
import type { TurnProgress } from '../../base/protocol/turn.ts'
import type { KeptTranscripts } from '../../claude/driver/kept-transcripts.ts'
import type { TranscriptFiles } from '../../claude/transcript/transcript-files.ts'
import type { AccountLimits } from '../../features/accounts/account-limits.ts'
import type { Audit } from '../../features/audit/rows/audit.ts'
import type { AuditTrail } from '../../features/audit/rows/audit-trail.ts'
import type { ChannelsView } from '../../features/channels/view.ts'
import type { ClusterView } from '../../features/cluster/view.ts'
import type { Drift } from '../../features/insight/drift.ts'
import type { Healing } from '../../features/insight/healing.ts'
import type { Insight } from '../../features/insight/insight.ts'
import type { KeptAnswers } from '../../features/insight/kept-answers.ts'
import type { InsightDecisions } from '../../features/insight/rows/insight-decisions.ts'
import type { ReflectionRuns } from '../../features/insight/rows/reflection-runs.ts'
import type { WatchedAnswerRows } from '../../features/insight/rows/watched-answers.ts'
import type { Suggestions } from '../../features/insight/suggestions.ts'
import type { WatchedAnswers } from '../../features/insight/watched-answers.ts'
import type { LateAnswers } from '../../features/late/late-answers.ts'
import type { LateReports } from '../../features/late/late-reports.ts'
import type { LiveAsks } from '../../features/live/live-asks.ts'
import type { BrowserLogins } from '../../features/operator/handlers/browser-logins.ts'
import type { GrantedRules } from '../../features/permission/granted-rules.ts'
import type { Policy } from '../../features/permission/policy.ts'
import type { Questions } from '../../features/permission/questions.ts'
import type { Schedules } from '../../features/schedules/schedules.ts'
import type { Search } from '../../features/search/search.ts'
import type { TraceRows } from '../../features/traces/rows/trace-rows.ts'
import type { TurnTraces } from '../../features/traces/rows/turn-traces.ts'
import type { Config } from '../../platform/config/config.ts'
import type { ConfigEditor } from '../../platform/config/editor.ts'
import type { Machines } from '../../platform/machine/machine.ts'
import type { Vitals } from '../../platform/metrics/vitals.ts'
import type { Attachments } from '../../platform/store/attachments.ts'
import type { ForgottenTurns } from '../../platform/store/forgotten-turns.ts'
import type { LastTurns } from '../../platform/store/last-turns.ts'
import type { ModelChangeRows } from '../../platform/store/model-changes.ts'
import type { Notices } from '../../platform/store/notices.ts'
import type { PairTurns } from '../../platform/store/pair-turns.ts'
import type { Reports } from '../../platform/store/reports.ts'
import type { SessionList } from '../../platform/store/session-list.ts'
import type { SessionTurns } from '../../platform/store/session-turns.ts'
import type { Statistics } from '../../platform/store/statistics.ts'
import type { StatisticsOverTime } from '../../platform/store/statistics-over-time.ts'
import type { StoreFile } from '../../platform/store/store-file.ts'
import type { ToolStarts } from '../../platform/store/tool-starts.ts'
import type { TrafficRows } from '../../platform/store/traffic.ts'
import type { TreeRows } from '../../platform/store/trees.ts'
import type { TurnList } from '../../platform/store/turn-list.ts'
import type { UsageRows } from '../../platform/store/usage-rows.ts'
import type { AgentConversations } from '../orchestrator/agent-conversations.ts'
import type { SessionHandles } from '../orchestrator/session-handle.ts'
import type { Turns } from '../orchestrator/turn-handle.ts'
import type { Launcher } from '../pool/launch.ts'
import type { SessionEndpoint, SessionEndpoints } from '../pool/session-endpoints.ts'
import type { CallLimit } from './call-limit.ts'
import { actorOf, type Principal } from './principal.ts'
import type { Refusals } from './refusals.ts'

/** What the connection of a call says: the principal who makes it, its team and its turn. */
export interface AuthContext {
  readonly principal: Principal
  /** The team that the connection speaks for; undefined when the call may name one. */
  readonly team: string | undefined
  /** For an agent: the turn it works on, the conversation of that turn, and the tool use that makes this call. */
  readonly parent:
    | {
        readonly turnId: string
        readonly session: Pair & { readonly sessionId: string }
        readonly toolUseId: string
      }
    | undefined
  /** For an agent that came through the endpoint of its session: that endpoint. */
  readonly endpoint?: SessionEndpoint
  /** For a browser: its login. */
  readonly loginId?: string
  /** For a command or a bridge of the owner: its share of calls, which no program can use up. */
  readonly share?: string | undefined
}

/** The key of the call limit: an agent's session, a share of the owner's, a browser of the owner's, or a credential. */
export function countedAs({ principal, parent, share, loginId }: AuthContext): string {
  if (parent) return `${principal.kind}:${pairText(parent.session)}`
  if (share !== undefined) return `share:${share}`
  return loginId !== undefined && principal.kind === 'owner' ? `login:${loginId}` : actorOf(principal)
}

/** One call of an operation. */
export interface Call {
  readonly auth: AuthContext
  /** Aborted when nobody waits for the answer any more. Ends the wait, never a turn. */
  readonly signal: AbortSignal
  readonly progress: (progress: Partial<TurnProgress> & Pick<TurnProgress, 'message'>) => void
  /** The transport's key for this call, where the client may repeat it. */
  readonly idempotencyKey: string | undefined
  /** The trace that the caller says the call belongs to, unchecked. */
  readonly traceparent?: string | undefined
  /** A program reads the answer: it need not fit into the context of a model. */
  readonly isWhole?: boolean | undefined
  /** The session of a person whose bridge makes the call; late answers go there. */
  readonly console?: string | undefined
}

/** What operations work with. */
export interface Domain {
  readonly config: () => Config
  /** Why config.yaml, as it is now, is not in force; undefined when it is. */
  readonly configProblem: () => string | undefined
  /** Why the Claude Code in use may not behave as Iris relies on; undefined when nothing is known. */
  readonly claudeProblem: () => string | undefined
  /** Keys of config.yaml whose new value takes effect only after a restart. */
  readonly needsRestart: () => readonly string[]
  readonly configEditor: ConfigEditor
  readonly clock: Clock
  readonly publish: (event: IrisEvent) => void
  readonly newId: () => string
  /** Turns by their ids. */
  readonly turns: Turns
  /** Conversations by their pairs. */
  readonly sessions: SessionHandles
  readonly agentConversations: AgentConversations
  readonly accountLimits: Pick<AccountLimits, 'of' | 'accounts' | 'holds' | 'news$'>
  readonly launcher: Pick<Launcher, 'agents' | 'programs' | 'setups'>
  readonly machines: Machines
  readonly notices: Notices
  readonly lateAnswers: LateAnswers
  readonly lateReports: LateReports
  readonly schedules: Pick<Schedules, 'add' | 'all' | 'byId' | 'cancel' | 'sentOnce'>
  readonly live: Pick<LiveAsks, 'answer' | 'letIn' | 'of' | 'promote' | 'ready' | 'take' | 'waitingFor'>
  /** Where people in chats talk to teams. */
  readonly channels: ChannelsView
  /** Hosts with an Iris of their own. */
  readonly cluster: ClusterView
  readonly store: () => StoreView
  readonly storeFile: StoreFile
  readonly vitals: Vitals
  readonly pairTurns: PairTurns
  readonly trees: Pick<TreeRows, 'above' | 'beginningWith' | 'latest' | 'spent'>
  readonly traceRows: TraceRows
  readonly turnList: TurnList
  readonly toolStarts: Pick<ToolStarts, 'of'>
  readonly reports: Pick<Reports, 'of' | 'read' | 'toolsOf' | 'unread' | 'usageOf'>
  readonly modelChanges: Pick<ModelChangeRows, 'of'>
  readonly sessionList: SessionList
  readonly sessionTurns: SessionTurns
  readonly lastTurns: LastTurns
  readonly statistics: Statistics
  readonly traffic: TrafficRows
  readonly usageRows: UsageRows
  readonly statisticsOverTime: StatisticsOverTime
  readonly search: Pick<Search, 'find' | 'takeIn' | 'startOver' | 'indexBytes'>
  /** Deletes what was said. */
  readonly forgotten: ForgottenTurns
  readonly insight: Pick<Insight, 'patterns' | 'reflect' | 'use'>
  readonly suggestions: Suggestions
  readonly keptAnswers: KeptAnswers
  readonly watchedAnswers: WatchedAnswers
  readonly watchedAnswerRows: Pick<WatchedAnswerRows, 'toldAt' | 'toldSince'>
  readonly healing: Pick<Healing, 'rows'>
  readonly turnTraces: TurnTraces
  readonly reflectionRuns: ReflectionRuns
  readonly insightDecisions: Pick<
    InsightDecisions,
    'startFor' | 'keptFor' | 'overtakingsOf' | 'collisionsOf' | 'startsSince' | 'balancedSince' | 'collisionsSince'
  >
  readonly drift: Pick<Drift, 'report' | 'compare' | 'rows'>
  /** For actions that publish no event. */
  readonly log: Log
  readonly logRing: LogRing
  readonly secrets: Secrets
  readonly audit: Audit
  readonly questions: Questions
  readonly grantedRules: GrantedRules
  /** Which tools agents may use. */
  readonly policy: Pick<Policy, 'refusedToRead'>
  /** The contents of files that came with messages. */
  readonly attachments: Attachments
  readonly refusals: Refusals
  readonly callLimit: CallLimit
  readonly browserLogins: BrowserLogins
  readonly auditTrail: AuditTrail
  readonly sessionEndpoints: Pick<SessionEndpoints, 'find'>
  readonly transcripts: Pick<TranscriptFiles, 'conversationOf' | 'remove'>
  readonly kept: Pick<KeptTranscripts, 'forget' | 'look'>
}
