import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { Subject } from 'rxjs'
import type { Line } from '../claude/line.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { sha256 } from '../lib/sha256.ts'
import type { Domain } from '../operations/call.ts'
import { Archive } from '../orchestrator/archive.ts'
import { Orchestrator } from '../orchestrator/orchestrator.ts'
import type { OrchestratorParts } from '../orchestrator/parts.ts'
import { noteCompaction } from '../orchestrator/upkeep.ts'
import { Launcher } from '../pool/launch.ts'
import { Pool } from '../pool/pool.ts'
import { prewarm } from '../pool/prewarm.ts'
import type { IrisEvent, PublishedEvent } from '../protocol/event.ts'
import type { Session } from '../session/session.ts'
import { Sessions } from '../session/sessions.ts'
import { Compactions } from '../store/compactions.ts'
import { openDatabase } from '../store/database.ts'
import { Ledger } from '../store/ledger.ts'
import { Notices } from '../store/notices.ts'
import { SessionRows } from '../store/sessions.ts'
import { TranscriptFiles } from '../transcript/transcript-files.ts'
import { LocalTransport } from '../transport/local.ts'
import { hostFor } from './host.ts'

export interface Whole {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** The daemon's environment; processes get from it what is allowed by name. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly at: OrchestratorParts['at']
  /** Bytes that processes can still have. */
  readonly availableMemory: () => number
}

/** Builds the domain, bottom up, and hands the pipe's face in at the top. */
export function compose({ config, clock, log, env, at, availableMemory }: Whole) {
  const events = new Subject<PublishedEvent>()
  let sequence = 0
  const publish = (event: IrisEvent): void => events.next({ ...event, sequence: ++sequence, at: clock.now() })
  const shared = { config: () => config, clock, newId: randomUUID, publish }

  const database = openDatabase(config.database.path)
  const rows = new SessionRows(database)
  const ledger = new Ledger(database)
  const notices = new Notices(database)
  const compactions = new Compactions(database)
  const marker = sha256(realpathSync(config.home)).slice(0, 16)
  const sessions = new Sessions({ ...shared, rows, ledger })
  const transcripts = new TranscriptFiles({
    directory: join(config.home, 'output_streams'),
    clock,
    onTrouble: ({ kind, path }) => log.warn(`a transcript for people is ${kind}`, { path }),
  })
  const launcher = new Launcher({
    ...shared,
    log: log.for('launch'),
    sessions,
    rows,
    transport: new LocalTransport(clock),
    environment: env,
    marker,
    hostFor: (session) => hostFor(session, domain, { ledger, clock, log }, log.for(`process:${session.to}`)),
  })
  const pool = new Pool({
    ...shared,
    log: log.for('pool'),
    random: Math.random,
    launch: (session, retries) => launcher.launch(session, retries),
    mirror: (session, state) => rows.mirrorProcessState(session.row.id, state),
    unasked: (session, lines) => {
      tellUnasked(transcripts, session, lines)
      for (const line of lines) noteCompaction(session, line, { compactions, clock, publish, log })
    },
  })
  const orchestrator = new Orchestrator({
    ...shared,
    log: log.for('orchestrator'),
    ledger,
    notices,
    sessions,
    rows,
    compactions,
    pool,
    launcher,
    at,
    transcripts,
    spillDirectory: join(config.home, 'data/turns'),
  })
  const domain: Domain = { config: () => config, clock, orchestrator, sessions, pool, launcher, notices }
  rows.mirrorAllStopped()
  orchestrator.load()
  const archive = new Archive({ ...shared, log: log.for('archive'), rows, sessions, pool, launcher, transcripts })
  const warming = { ...shared, log: log.for('prewarm'), sessions, launcher, pool, availableMemory }
  return {
    domain,
    events,
    publish,
    marker,
    transcripts,
    archive,
    prewarm: () => prewarm(warming),
    close: () => database.close(),
  }
}

/** A turn that the CLI began by itself stands in the conversation, and answers nobody. */
function tellUnasked(transcripts: TranscriptFiles, session: Session, lines: readonly Line[]): void {
  const turn = transcripts.begin(session.told, { prompt: null, resumed: true })
  for (const line of lines) turn.line(line)
  turn.end({ outcome: 'completed', reason: null, detail: null, durationMs: null, usage: null })
}
