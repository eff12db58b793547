import { join } from 'node:path'
import type { Domain } from '../../adapters/operations/call.ts'
import { CallLimit } from '../../adapters/operations/call-limit.ts'
import { Refusals } from '../../adapters/operations/refusals.ts'
import { standingOf } from '../../adapters/operations/switchboard.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { LogRing } from '../../base/lib/log-ring.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { Subject } from '../../base/lib/subject.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { KeptTranscripts } from '../../claude/driver/kept-transcripts.ts'
import type { Line } from '../../claude/driver/line.ts'
import { TranscriptFiles } from '../../claude/transcript/transcript-files.ts'
import type { ChannelCheckpoint } from '../../core/channels/parts.ts'
import { Collisions } from '../../core/insight/collisions.ts'
import { Drift, type DriftParts } from '../../core/insight/drift.ts'
import { Insight } from '../../core/insight/insight.ts'
import { AgentConversations } from '../../core/orchestrator/agent-conversations.ts'
import { Archive } from '../../core/orchestrator/archive.ts'
import { noteCompaction } from '../../core/orchestrator/context-maintenance.ts'
import { Ends } from '../../core/orchestrator/ends.ts'
import { LateAnswers } from '../../core/orchestrator/late-answers.ts'
import { Orchestrator } from '../../core/orchestrator/orchestrator.ts'
import type { OrchestratorParts } from '../../core/orchestrator/parts.ts'
import { SessionHandles, type SessionHandlesParts } from '../../core/orchestrator/session-handle.ts'
import { Turns } from '../../core/orchestrator/turn-handle.ts'
import { TypedAsks } from '../../core/orchestrator/typed-asks.ts'
import { GrantedRules } from '../../core/permission/granted-rules.ts'
import { Policy } from '../../core/permission/policy.ts'
import { Questions, type QuestionsParts } from '../../core/permission/questions.ts'
import { AccountLimits } from '../../core/pool/account-limits.ts'
import type { HostsParts, TunnelsParts } from '../../core/pool/hosts.ts'
import { SessionEndpoints } from '../../core/pool/session-endpoints.ts'
import { SessionMcpFiles } from '../../core/pool/session-mcp-file.ts'
import type { OpenedStore } from '../../core/rebuild/open-store.ts'
import type { Session } from '../../core/session/session.ts'
import { Sessions } from '../../core/session/sessions.ts'
import { ConfigEditor } from '../../platform/config/editor.ts'
import { homePaths, userHome } from '../../platform/config/home.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import { LocalTree } from '../../platform/machine/local-tree.ts'
import type { System } from '../../platform/machine/machine.ts'
import { Schemas } from '../../platform/schema/schemas.ts'
import { Search } from '../../platform/search/search.ts'
import { AccountRows } from '../../platform/store/account-rows.ts'
import { AnswerFiles } from '../../platform/store/answer-files.ts'
import { Audit } from '../../platform/store/audit.ts'
import { AuditTrail } from '../../platform/store/audit-trail.ts'
import { Compactions } from '../../platform/store/compactions.ts'
import { LastTurns } from '../../platform/store/last-turns.ts'
import { LateAnswerRows } from '../../platform/store/late-answers.ts'
import { Ledger } from '../../platform/store/ledger.ts'
import { Notices } from '../../platform/store/notices.ts'
import { PairTurns } from '../../platform/store/pair-turns.ts'
import { PermissionGrants } from '../../platform/store/permission-grants.ts'
import { PermissionRows } from '../../platform/store/permissions.ts'
import { SessionList } from '../../platform/store/session-list.ts'
import { SessionTurns } from '../../platform/store/session-turns.ts'
import { SessionRows } from '../../platform/store/sessions.ts'
import { Statistics } from '../../platform/store/statistics.ts'
import { StatisticsOverTime } from '../../platform/store/statistics-over-time.ts'
import { ToolStarts } from '../../platform/store/tool-starts.ts'
import { TraceRows } from '../../platform/store/trace-rows.ts'
import { TrafficRows } from '../../platform/store/traffic.ts'
import { TreeRows } from '../../platform/store/trees.ts'
import { TurnList } from '../../platform/store/turn-list.ts'
import { UsageRows } from '../../platform/store/usage-rows.ts'
import { recordEvents } from './audited-event.ts'
import { composeChannels } from './compose-channels.ts'
import { composeCluster } from './compose-cluster.ts'
import { composeProcesses } from './compose-processes.ts'
import { composeVitals } from './compose-vitals.ts'
import { awaitedIn, keepQuestions } from './left-at-work.ts'
import { logEvents } from './log-events.ts'
import { publisher } from './publisher.ts'
import { type ReadingPlaces, readingPlaces } from './reading-places.ts'
import { Ring } from './ring.ts'
import { SessionChanges } from './session-changes.ts'
import { ClaudeWatch } from './watch-claude.ts'

export interface Whole {
  readonly live: LiveConfig
  readonly clock: Clock
  readonly log: Log
  /** Where the log's entries can be read again. */
  readonly logRing: LogRing
  /** Known values of secrets, which are hidden in logs and answers. */
  readonly secrets: Secrets
  /** The daemon's environment; processes get only the variables that are allowed by name. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly at: OrchestratorParts['at']
  /** Memory that processes can still have, in bytes. */
  readonly availableMemory: () => number
  /** The computer that Iris runs on. */
  readonly system: System
  /** Starts a program here that connects to another machine. */
  readonly startClient: HostsParts['startClient']
  /** Called at each checkpoint of a chat's message and answer. */
  readonly atChat?: ((checkpoint: ChannelCheckpoint) => void) | undefined
  /** Makes a new UUID. */
  readonly newId: () => string
  /** A random number from 0 to below 1. */
  readonly random: () => number
}

export interface Composed extends Whole, OpenedStore {
  /** Tags every process that this Iris starts. */
  readonly irisTag: string
  /** Tags every process that this run of the daemon starts. */
  readonly life: string
  readonly browserLogins: Domain['browserLogins']
  /** The daemon's port, once it listens. */
  readonly port: () => number
  readonly homeExposed: () => void
  /** Serves connections from another machine at a Unix socket. */
  readonly serveTunnel: TunnelsParts['serve']
}

export type Composition = ReturnType<typeof compose>

/** Builds the domain bottom up, and connects the adapter of the pipe last. */
export function compose(composed: Composed) {
  const { live, clock, log, logRing, secrets, env, at, system, startClient, homeExposed } = composed
  const { newId, random, store, rebuilt, irisTag, life } = composed
  const [config, events] = [live.current(), new Subject<PublishedEvent>()]
  const publish = publisher(events, clock, secrets)
  const shared = { config: live.current, clock, newId, publish }

  const [rows, ledger, audit] = [new SessionRows(store), new Ledger(store), new Audit(store, clock)]
  const [notices, compactions] = [new Notices(store), new Compactions(store)]
  const onGrant = (): void => pool.handRules()
  const places = readingPlaces(userHome(env), () => ({ hosts, launcher }))
  const limits = limitsOf(store, { ...shared, audit, log, onGrant }, places)
  recordEvents(events, audit)
  logEvents(events, log)
  const ends = new Ends({ ledger, clock, log: log.for('store') })
  const sessions = new Sessions({ ...shared, rows, ledger })
  const { kept, transcripts } = transcriptsOf(config.home, clock, log)
  const [sessionMcp, ring] = [sessionMcpOf(composed), new Ring()]
  const { launcher, machines, hosts, pool, takeOvers, own } = composeProcesses({
    ...{ ...shared, log, secrets, sessions, rows, kept, system, startClient, random, environment: env },
    ...{ irisTag, life, homeExposed, sessionMcp, serveTunnel: composed.serveTunnel },
    ...{ isAwaited: awaitedIn(ledger), hostFor: (session, startId) => ring.hostFor(session, startId) },
    permissionLists: (session) => limits.policy.listsFor(session),
    unsolicited: (session, lines) => tookUnsolicited(session, lines, { transcripts, compactions, clock, publish, log }),
  })
  const others = composeCluster({ ...composed, turns: () => handles.turns })
  const orchestrator = new Orchestrator({
    ...{ ...shared, ...limits, at, transcripts, log: log.for('orchestrator'), trees: new TreeRows(store), notices },
    ...{ ledger, ends, sessions, compactions, pool, takeOvers, launcher, spillDirectory: spillOf(config.home) },
    ...{ elsewhere: others.cluster, contextOf: (session, turnId) => chats.contextOf(session, turnId) },
  })
  const claudeWatch = new ClaudeWatch({ ...shared, env, file: homePaths(config.home).probes })
  const search = new Search({ store: store.path, index: homePaths(config.home).searchIndex }, clock)
  const ofInsights = { ...shared, machines, log: log.for('insight') }
  const { closeInsights, collisions, ...insights } = insightsOf(store, events, ofInsights)
  const core = { orchestrator, sessions, pool, takeOvers, typed: new TypedAsks(shared, new Schemas(clock)) }
  const handles = handlesOf({ ...core, launcher }, lateOf(store, clock, events))
  const chats = composeChannels({ ...composed, ...handles, ...core, ...limits, rows, events })
  const domain: Domain = {
    ...{ ...shared, ...handles, launcher, machines, ...insights, channels: chats.view, cluster: others.view },
    ...{ notices, search, transcripts, kept, log, logRing, secrets, audit, sessionEndpoints: sessionMcp.endpoints },
    ...{ ...limits, ...figuresOf(store, ledger), ...composeVitals({ clock, store, rebuilt, ends, events }) },
    ...{ ...fileOf(composed), browserLogins: composed.browserLogins, claudeProblem: () => claudeWatch.problem },
  }
  ring.close(domain, { policy: limits.policy, collisions, ledger, secrets, log, orchestrator })
  const changes = new SessionChanges(events, { clock, publish, view: (ids) => standingOf(ids, domain) })
  rows.mirrorAllStopped()
  keepQuestions(limits.questions, events, { ledger, launcher })
  orchestrator.load()
  const ofArchive = { rows, ledger, sessions, pool, takeOvers, launcher, transcripts, kept, log: log.for('archive') }
  const archive = new Archive({ ...shared, ...ofArchive })
  const close = (): void => [changes, takeOvers, ends, core.typed, audit].forEach((each) => each.close())
  const links = { channels: chats.served.channelLinks, cluster: others.link }
  const served = { core, domain, events, publish, search, closeInsights, claudeWatch, ...chats.served, links, close }
  return { ...served, store, rows, kept, launcher, machines, hosts, own, takeOvers, transcripts, archive }
}

/** The handles that operations have of turns and conversations: data and ids. */
function handlesOf(
  parts: SessionHandlesParts & { orchestrator: Orchestrator; typed: TypedAsks },
  lateAnswers: LateAnswers,
) {
  const turns = new Turns(parts.orchestrator, parts.typed)
  const agentConversations = new AgentConversations({ ...parts, turns })
  return { turns, sessions: new SessionHandles(parts), agentConversations, lateAnswers }
}

function lateOf(store: Composed['store'], clock: Clock, events: Subject<PublishedEvent>): LateAnswers {
  return new LateAnswers({ rows: new LateAnswerRows(store), clock, events })
}

const mostLogged = 10_000

/** Logs one problem for each conversation. */
function keptOf(home: string, clock: Clock, log: Log): KeptTranscripts {
  const logged = new Set<string>()
  return new KeptTranscripts(new LocalTree(homePaths(home).transcripts), clock, (sessionId, problem) => {
    if (logged.has(sessionId) || logged.size === mostLogged) return
    logged.add(sessionId)
    log.warn(`a transcript of Claude Code is not used or not kept: ${problem}`, { sessionId })
  })
}

/** Claude Code's transcripts that Iris keeps, and those for people. */
function transcriptsOf(home: string, clock: Clock, log: Log) {
  const transcripts = new TranscriptFiles({
    directory: homePaths(home).streams,
    clock,
    onTrouble: ({ kind, path }) => log.warn(`a transcript for people is ${kind}`, { path }),
  })
  return { kept: keptOf(home, clock, log.for('transcripts')), transcripts }
}

/** How config.yaml differs from the configuration in force, and its editor. */
function fileOf({ live, secrets, env }: Composed) {
  return {
    configProblem: () => secrets.hideIn(live.problem()),
    needsRestart: () => live.needsRestart,
    configEditor: new ConfigEditor({ config: live.current, env }),
  }
}

/** Removes the session MCP configurations that a killed daemon left. */
function sessionMcpOf({ live, port }: Composed) {
  const files = new SessionMcpFiles(homePaths(live.current().home).sessionMcp)
  files.sweep()
  return { endpoints: new SessionEndpoints(), files, port }
}

type InsightParts = Omit<DriftParts, 'rows'> & Pick<Whole, 'clock'>

/** Tool policy, questions to people, limits of accounts and calls, the audit of refusals. */
function limitsOf(
  store: Composed['store'],
  around: Omit<QuestionsParts, 'rows' | 'grants' | 'policy'>,
  places: ReadingPlaces,
) {
  const { config, clock, audit, log } = around
  const grants = new PermissionGrants(store)
  const policy = new Policy({ config, grants, ...places })
  const rows = new PermissionRows(store)
  return {
    policy,
    accountLimits: new AccountLimits({ config, clock, log: log.for('limits'), rows: new AccountRows(store) }),
    questions: new Questions({ ...around, log: log.for('permission'), grants, policy, rows }),
    grantedRules: new GrantedRules({ config, grants, onGrant: around.onGrant }),
    refusals: new Refusals({ audit, clock, log: log.for('audit') }),
    callLimit: new CallLimit({ clock, perMinute: () => config().settings.callsPerMinute }),
  }
}

/** What Iris finds out by itself. */
function insightsOf(store: Composed['store'], events: Subject<PublishedEvent>, parts: InsightParts) {
  const drift = new Drift({ ...parts, rows: new AnswerFiles(store) })
  events.subscribe((event) => drift.take(event))
  const insight = new Insight(store.path, parts.clock)
  const collisions = new Collisions(parts)
  events.subscribe((event) => event.type === 'turn-settled' && collisions.settled(event.turnId))
  return { insight, drift, collisions, closeInsights: () => Promise.all([insight.close(), drift.close()]) }
}

/** Read-only queries of the store. */
function figuresOf(store: Composed['store'], ledger: Ledger) {
  return {
    attachments: ledger.attachments,
    pairTurns: new PairTurns(store),
    sessionList: new SessionList(store),
    sessionTurns: new SessionTurns(store),
    lastTurns: new LastTurns(store),
    statistics: new Statistics(store),
    traffic: new TrafficRows(store, ledger),
    usageRows: new UsageRows(store),
    statisticsOverTime: new StatisticsOverTime(store),
    auditTrail: new AuditTrail(store),
    trees: new TreeRows(store),
    traceRows: new TraceRows(store),
    turnList: new TurnList(store),
    toolStarts: new ToolStarts(store),
  }
}

type UnsolicitedParts = Pick<OrchestratorParts, 'transcripts' | 'compactions' | 'clock' | 'publish' | 'log'>

/** Records an unsolicited turn, which the CLI began by itself, in the conversation. It answers nobody. */
function tookUnsolicited(session: Session, lines: readonly Line[], parts: UnsolicitedParts): void {
  const turn = parts.transcripts.begin(session.transcriptHead, { prompt: null, resumed: true })
  for (const line of lines) {
    turn.line(line)
    noteCompaction(session, line, parts)
  }
  turn.end({ outcome: 'completed', reason: null, detail: null, durationMs: null, usage: null })
}

/** The directory for lines of turns that outgrow memory. */
function spillOf(home: string): string {
  return join(home, 'data/turns')
}
