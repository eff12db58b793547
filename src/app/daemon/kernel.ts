import { join } from 'node:path'
import type { StoreView } from '../../base/protocol/store.ts'
import { AgentConversations } from '../../kernel/accept/agent-conversations.ts'
import { Orchestrator } from '../../kernel/accept/orchestrator.ts'
import { SessionHandles } from '../../kernel/accept/session-handle.ts'
import { Turns } from '../../kernel/accept/turn-handle.ts'
import { Waits } from '../../kernel/accept/waits.ts'
import { CallLimit } from '../../kernel/call/call-limit.ts'
import type { AllEventTexts } from '../../kernel/call/event-texts.ts'
import { FeatureFaults } from '../../kernel/call/feature-faults.ts'
import { kernelEvents } from '../../kernel/call/kernel-events.ts'
import { Refusals } from '../../kernel/call/refusals.ts'
import { UnsolicitedTurns } from '../../kernel/deliver/unsolicited-turns.ts'
import { openJournal } from '../../kernel/journal/journal.ts'
import { LoginUses } from '../../kernel/pool/login-uses.ts'
import { SessionEndpoints } from '../../kernel/pool/session-endpoints.ts'
import { SessionMcpFiles } from '../../kernel/pool/session-mcp-file.ts'
import { Archive } from '../../kernel/queue/archive.ts'
import { openSeams } from '../../kernel/session/seams.ts'
import { Sessions } from '../../kernel/session/sessions.ts'
import { Ends } from '../../kernel/turn/ends.ts'
import { recordModelChanges } from '../../kernel/turn/model-changes.ts'
import { homePaths } from '../../platform/config/home.ts'
import { Vitals } from '../../platform/metrics/vitals.ts'
import { StoreFile } from '../../platform/store/store-file.ts'
import { Sums } from '../../platform/store/sums.ts'
import { awaitedIn, leftElsewhere } from './former-processes.ts'
import { openTranscripts } from './keep-transcripts.ts'
import { logEvents } from './log-events.ts'
import { openProcesses } from './processes.ts'
import { Publisher } from './publisher.ts'
import { openRows } from './rows.ts'
import type { Composed } from './surroundings.ts'

export type Kernel = ReturnType<typeof openKernel>

/** What every message needs, and the seams in which features take part. No turn is loaded yet. */
export function openKernel({ live: liveConfig, store: database, ...given }: Composed) {
  const { clock, log, secrets, rebuilt } = given
  const config = liveConfig.current
  const { home } = config()
  const { events, everything$, publish } = new Publisher(clock, secrets)
  const seams = openSeams()
  const eventTexts: AllEventTexts = new Map(Object.entries(kernelEvents))
  const around = {
    ...given,
    ...openRows(database),
    eventTexts,
    liveConfig,
    database,
    config,
    publish,
    events,
    everything$,
    seams,
  }
  logEvents(events, eventTexts, log)
  recordModelChanges({ everything$, rows: around.modelChanges, log })
  const vitals = new Vitals(clock, events)
  database.measureWith(vitals.store)
  const faults = new FeatureFaults({ clock, log: log.for('features'), failures: vitals.featureFaults })
  const ends = new Ends({ ledger: around.ledger, clock: clock.machine, log: log.for('store') })
  const sessionRegistry = new Sessions(around)
  const { kept, transcripts } = openTranscripts(home, clock, log)
  const sessionMcp = {
    endpoints: new SessionEndpoints(),
    files: new SessionMcpFiles(homePaths(home).sessionMcp),
    port: given.port,
  }
  // A killed daemon leaves these files behind.
  sessionMcp.files.sweep()
  const loginUses = new LoginUses()
  const processes = openProcesses({
    ...around,
    environment: given.env,
    sessions: sessionRegistry,
    kept,
    sessionMcp,
    loginUses,
    isAwaited: awaitedIn(around.ledger),
    unsolicited: new UnsolicitedTurns({ ...around, transcripts }),
  })
  const work = { ...around, ...processes, sessions: sessionRegistry, transcripts, ends }
  const orchestrator = new Orchestrator({
    ...work,
    log: log.for('orchestrator'),
    spillDirectory: join(home, 'data/turns'),
  })
  const turns = new Turns(orchestrator, seams, work)
  const viewOfStore = (): StoreView => ({
    ...(database.damage !== undefined && { damage: database.damage }),
    unrecordedEnds: ends.unrecorded,
    ...(rebuilt && { rebuilt }),
    ...(database.restored && { restored: database.restored }),
  })
  return {
    ...around,
    ...processes,
    orchestrator,
    turns,
    journal: openJournal({ ...around, log: log.for('journal') }),
    waits: new Waits({ ...work, orchestrator }),
    sessionRegistry,
    sessions: new SessionHandles({ ...work, orchestrator }),
    agentConversations: new AgentConversations({ ...work, turns }),
    archive: new Archive({ ...work, kept, log: log.for('archive') }),
    left: leftElsewhere(work),
    kept,
    transcripts,
    ends,
    vitals,
    faults,
    loginUses,
    sessionEndpoints: sessionMcp.endpoints,
    storeFile: new StoreFile(database, clock),
    sums: new Sums(database, clock.machine),
    store: viewOfStore,
    refusals: new Refusals({ audit: { record: (entry) => seams.audit.record(entry) }, clock, log: log.for('audit') }),
    callLimit: new CallLimit({ clock, perMinute: () => config().settings.callsPerMinute }),
  }
}
