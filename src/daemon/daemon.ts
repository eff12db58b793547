import { randomUUID } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Observable, Subject } from 'rxjs'
import type { Config } from '../config/config.ts'
import { homePaths } from '../config/home.ts'
import { loadConfig } from '../config/load.ts'
import { createApp } from '../http/app.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { sha256 } from '../lib/sha256.ts'
import { hostFor } from '../mcp/host.ts'
import { createMcpEndpoint } from '../mcp/http.ts'
import type { Domain } from '../operations/call.ts'
import { Orchestrator } from '../orchestrator/orchestrator.ts'
import type { OrchestratorParts } from '../orchestrator/parts.ts'
import { Launcher } from '../pool/launch.ts'
import { Pool } from '../pool/pool.ts'
import type { IrisEvent, PublishedEvent } from '../protocol/event.ts'
import { irisVersion } from '../protocol/version.ts'
import { Sessions } from '../session/sessions.ts'
import { openDatabase } from '../store/database.ts'
import { Ledger } from '../store/ledger.ts'
import { SessionRows } from '../store/sessions.ts'
import { LocalTransport } from '../transport/local.ts'
import { sweep } from '../transport/sweep.ts'
import { describeDaemon, removeDaemonFile, writeDaemonFile } from './daemon-file.ts'
import { lockInstance } from './instance-lock.ts'
import { listen } from './listen.ts'
import { ensureToken } from './token.ts'

export interface DaemonOptions {
  /** IRIS_HOME, absolute. */
  readonly home: string
  /** The daemon's environment; processes get from it what is allowed by name. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
  readonly at?: OrchestratorParts['at']
  /** What to do when asked to stop over HTTP; default: stop. */
  readonly onStopAsked?: () => void
}

export interface Daemon {
  readonly port: number
  readonly config: Config
  readonly events$: Observable<PublishedEvent>
  readonly domain: Domain
  /** Settles when the processes of a dead predecessor have gone and its turns are taken up. */
  readonly recovered: Promise<void>
  /** Accepts nothing more, lets what runs end for `graceMs`, ends all processes, lets go of everything. */
  stop(graceMs?: number): Promise<void>
}

/** What a killed predecessor's processes get to write their transcripts before they are killed. */
const sweepGraceMs = 1000
const drainMs = 30_000

/** Builds the living whole; the one place that knows every part. */
export async function startDaemon({
  home,
  env,
  clock = systemClock,
  at = () => {},
  onStopAsked,
}: DaemonOptions): Promise<Daemon> {
  process.umask(0o077)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const paths = homePaths(home)
  const config = await loadConfig({ home, env })
  const log = createLog(logLevel(env, config))
  const unlock = lockInstance(paths.lock, () => describeDaemon(paths.daemonFile))
  const events = new Subject<PublishedEvent>()
  let sequence = 0
  const publish = (event: IrisEvent): void => events.next({ ...event, sequence: ++sequence, at: clock.now() })

  const database = openDatabase(config.database.path)
  const rows = new SessionRows(database)
  const ledger = new Ledger(database)
  const marker = sha256(realpathSync(home)).slice(0, 16)
  const shared = { config: () => config, clock, newId: randomUUID, publish }
  const sessions = new Sessions({ ...shared, rows, ledger })
  const launcher = new Launcher({
    ...shared,
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
    launch: (session) => launcher.launch(session),
    mirror: (session, state) => rows.mirrorProcessState(session.row.id, state),
  })
  const orchestrator = new Orchestrator({
    ...shared,
    log: log.for('orchestrator'),
    ledger,
    sessions,
    pool,
    launcher,
    at,
    spillDirectory: join(home, 'data/turns'),
  })
  const domain: Domain = { config: () => config, clock, orchestrator, sessions, pool, launcher }

  rows.mirrorAllStopped()
  orchestrator.load()
  let stopping: Promise<void> | undefined
  const app = createApp({
    config: () => config,
    token: ensureToken(paths.token),
    mcp: createMcpEndpoint(domain, log.for('mcp')),
    log: log.for('http'),
    stop: () => (onStopAsked ? onStopAsked() : void stop()),
  })
  const server = await listen(app, config.settings.httpPort).catch((error: unknown) => {
    database.close()
    unlock()
    throw error
  })
  writeDaemonFile(paths.daemonFile, {
    port: server.port,
    pid: process.pid,
    startedAt: clock.now(),
    version: irisVersion,
  })
  log.info(`Iris ${irisVersion} listens on 127.0.0.1:${server.port}`, { teams: config.teams.size })

  const recovered = sweep(marker, sweepGraceMs, clock).then((ended) => {
    if (ended > 0) log.warn('ended processes that a former daemon had left', { ended })
    orchestrator.begin()
  })

  async function shutDown(graceMs: number): Promise<void> {
    await recovered
    await orchestrator.drain(graceMs)
    await pool.close()
    await server.close()
    removeDaemonFile(paths.daemonFile)
    events.complete()
    database.close()
    unlock()
    log.info('Iris has stopped')
  }
  function stop(graceMs = drainMs): Promise<void> {
    stopping ??= shutDown(graceMs)
    return stopping
  }
  return { port: server.port, config, events$: events.asObservable(), domain, recovered, stop }
}

function logLevel(env: DaemonOptions['env'], config: Config): Parameters<typeof createLog>[0] {
  const levels = ['debug', 'info', 'warn', 'error'] as const
  return levels.find((level) => level === env['IRIS_LOG']) ?? config.settings.logLevel
}
