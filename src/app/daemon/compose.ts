import { join } from 'node:path'
import type { Limited } from '../../base/protocol/limit.ts'
import { messageFiles } from '../../features/attachments/attachments.ts'
import { recordEvents } from '../../features/audit/audited-event.ts'
import { Budgets } from '../../features/budgets/budgets.ts'
import { composeChannels } from '../../features/channels/compose-channels.ts'
import { composeCluster } from '../../features/cluster/compose-cluster.ts'
import { withAnnouncement } from '../../features/late/handlers.ts'
import { LiveAsks } from '../../features/live/live-asks.ts'
import { LiveAskRows } from '../../features/live/rows.ts'
import { Search } from '../../features/search/search.ts'
import { traceparentOut } from '../../features/traces/handlers/trace-link.ts'
import { TraceLink } from '../../features/traces/trace-link.ts'
import { composeTranscripts } from '../../features/transcripts/compose-transcripts.ts'
import { Schemas } from '../../features/typed/schemas.ts'
import { TypedAsks } from '../../features/typed/typed-asks.ts'
import { Orchestrator } from '../../kernel/accept/orchestrator.ts'
import { type CheckedParts, Operations } from '../../kernel/call/operations.ts'
import { UnsolicitedTurns } from '../../kernel/deliver/unsolicited-turns.ts'
import { SessionEndpoints } from '../../kernel/pool/session-endpoints.ts'
import { SessionMcpFiles } from '../../kernel/pool/session-mcp-file.ts'
import { Archive } from '../../kernel/queue/archive.ts'
import { Sessions } from '../../kernel/session/sessions.ts'
import { Ends } from '../../kernel/turn/ends.ts'
import { recordModelChanges } from '../../kernel/turn/model-changes.ts'
import { ConfigEditor } from '../../platform/config/editor.ts'
import { homePaths, userHome } from '../../platform/config/home.ts'
import { standingOf } from '../../views/switchboard/handlers.ts'
import { composeHandles } from './compose-handles.ts'
import { composeBalancing, composeInsight } from './compose-insight.ts'
import { composeLimits } from './compose-limits.ts'
import { composeProcesses } from './compose-processes.ts'
import { composeReads, composeRows } from './compose-rows.ts'
import { composeVitals } from './compose-vitals.ts'
import { type HandlerParts, handlersOf } from './handlers.ts'
import { awaitedIn, keepQuestions, leftElsewhere } from './left-at-work.ts'
import { logEvents } from './log-events.ts'
import { Publisher } from './publisher.ts'
import { readingPlaces } from './reading-places.ts'
import { Ring } from './ring.ts'
import { SessionChanges } from './session-changes.ts'
import type { Composed } from './surroundings.ts'
import { ClaudeWatch } from './watch-claude.ts'

export type Composition = ReturnType<typeof compose>

/** Builds the domain bottom up, and connects the adapter of the pipe last. */
export function compose(composed: Composed) {
  const { live, clock, log, secrets, env, newId, store, rebuilt } = composed
  const config = live.current()
  const { events, everything$, publish } = new Publisher(clock, secrets)
  const shared = { config: live.current, clock, newId, publish }
  const stored = composeRows(store, clock)
  const { rows, ledger, audit, compactions } = stored
  const places = readingPlaces(userHome(env), () => ({ hosts, launcher }))
  const elsewhere = (team: string, turn?: string): Limited | undefined => others.cluster.limitOf(team, turn)
  const limits = composeLimits(store, { ...shared, audit, log, onGrant: () => pool.handRules(), elsewhere }, places)
  recordEvents(events, audit)
  logEvents(events, log)
  recordModelChanges({ everything$, rows: stored.modelChanges, log })
  const ends = new Ends({ ledger, clock: clock.machine, log: log.for('store') })
  const sessions = new Sessions({ ...shared, rows, ledger })
  const { kept, transcripts } = composeTranscripts(config.home, clock, log)
  const [sessionMcp, ring] = [sessionMcpOf(composed), new Ring()]
  const balancing = composeBalancing({ events }, { ...shared, log: log.for('insight') })
  const processes = composeProcesses({
    ...composed,
    ...stored,
    ...shared,
    environment: env,
    sessions,
    kept,
    sessionMcp,
    usual: balancing.usual,
    isAwaited: awaitedIn(ledger),
    telemetryOf: (session, team) => traces.telemetryOf(session, team),
    hostFor: (...of) => ring.hostFor(...of),
    permissionLists: (session) => limits.policy.listsFor(session),
    unsolicited: new UnsolicitedTurns({ ledger, transcripts, compactions, clock, publish, log }),
    ...limits.uses,
  })
  const { launcher, machines, hosts, pool, takeOvers } = processes
  const around = { ...composed, ...stored, ...limits, ...processes, ...shared, transcripts }
  const others = composeCluster({ ...around, sessions, events, turns: () => handles.turns })
  const liveAsks = new LiveAsks({ ...shared, rows: new LiveAskRows(store) })
  const orchestrator = new Orchestrator({
    ...around,
    transcripts,
    log: log.for('orchestrator'),
    ends,
    sessions,
    live: liveAsks,
    files: messageFiles({ ...shared, launcher, ledger }),
    budgetsFor: (over) => new Budgets({ ...shared, trees: stored.trees }, over),
    elsewhere: others.cluster,
    spillDirectory: join(config.home, 'data/turns'),
    contextOf: (session, turnId) => chats.contextOf(session, turnId),
  })
  const claudeWatch = new ClaudeWatch({ ...shared, env, file: homePaths(config.home).probes })
  const search = new Search({ store: store.path, index: homePaths(config.home).searchIndex }, clock.machine)
  const insights = composeInsight(store, { events, everything$ }, { ...shared, machines, log: log.for('insight') })
  const core = { orchestrator, sessions, pool, takeOvers, typed: new TypedAsks(shared, new Schemas(clock.machine)) }
  const handles = composeHandles({ ...core, ...around, liveAsks, elsewhere: others.cluster }, { store, events, log })
  const chats = composeChannels({ ...composed, ...handles, ...core, ...limits, rows, events })
  const domain = {
    ...around,
    ...handles,
    channels: chats.view,
    cluster: others.view,
    search,
    transcripts,
    kept,
    sessionEndpoints: sessionMcp.endpoints,
    ...insights.view,
    ...composeReads(store, ledger),
    ...composeVitals({ clock, store, rebuilt, ends, events }),
    ...fileOf(composed),
    live: liveAsks,
    claudeProblem: () => claudeWatch.problem,
  }
  const operations = operationsOf(domain)
  ring.close({ ...domain, operations }, { ...around, collisions: insights.collisions, orchestrator })
  const changes = new SessionChanges(events, { clock: clock.machine, publish, view: (ids) => standingOf(ids, domain) })
  const left = leftElsewhere({ ...stored, launcher, hosts })
  keepQuestions(limits.questions, events, { ledger, launcher })
  orchestrator.load()
  const archive = new Archive({ ...around, sessions, kept, log: log.for('archive') })
  const close = (): void =>
    [changes, ...handles.closing, liveAsks, takeOvers, ends, core.typed, audit].forEach((each) => each.close())
  const traces = new TraceLink({ ...shared, env, secrets, log: log.for('traces'), events, store: store.path })
  const links = { channels: chats.served.channelLinks, cluster: others.link, traces }
  const served = { core, domain, operations, balancing, search, claudeWatch, ...chats.served, links }
  const heard = { events, everything$, publish }
  const kin = { store, rows, left, kept, archive, transcripts, schedules: handles.schedules }
  return { ...served, ...heard, ...processes, ...kin, close, closeInsights: insights.close }
}

/** How config.yaml differs from the configuration in force, its editor, and what was made before everything else. */
function fileOf({ live, log, recentLog, secrets, browserLogins, env }: Composed) {
  return {
    log,
    recentLog,
    secrets,
    browserLogins,
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

/** The operations, and what features add to each answer. */
function operationsOf(parts: HandlerParts & CheckedParts): Operations {
  return new Operations(handlersOf(parts), {
    ...parts,
    announced: (name, result, input, call) =>
      name === 'late_answers' ? result : withAnnouncement(result, input, call, parts),
    traceparentOf: (result) => traceparentOut(result, parts),
  })
}
