import { randomUUID } from 'node:crypto'
import { chmodSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Observable } from 'rxjs'
import { type Clock, outlasts, systemClock } from '../../base/lib/clock.ts'
import { createLog, type RootLog } from '../../base/lib/log.ts'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { RecentLog } from '../../base/lib/recent-log.ts'
import { Secrets } from '../../base/lib/secrets.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { onSubscriberError } from '../../base/lib/subject.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { logLevels } from '../../base/protocol/log-entry.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import type { Operations } from '../../kernel/call/operations.ts'
import type { Config } from '../../platform/config/config.ts'
import { homePaths } from '../../platform/config/home.ts'
import { refuseUnadopted } from '../../platform/config/home-record.ts'
import { LiveConfig } from '../../platform/config/live-config.ts'
import { loadConfig } from '../../platform/config/load.ts'
import { secretsOf } from '../../platform/config/secrets-of.ts'
import { clientStarter } from '../../platform/hosts/client-environment.ts'
import { guardPrograms, withoutGuards } from '../../platform/machine/guard-programs.ts'
import type { IsolationMeans } from '../../platform/machine/isolation-means.ts'
import { LocalSystem } from '../../platform/machine/local-system.ts'
import { mostOpenFiles, refuseFewOpenFiles } from '../../platform/machine/open-files.ts'
import { makeFilesPrivate, type PrivateFiles } from '../../platform/machine/private-files.ts'
import { missingWithoutProc } from '../../platform/machine/proc.ts'
import { startWatchdog } from '../../platform/machine/watchdog.ts'
import { lockInstance } from '../../platform/store/instance-lock.ts'
import { makeShrinkable } from '../../platform/store/shrinkable.ts'
import { StoreWatch } from '../../platform/store/store-watch.ts'
import { openAdapters } from './adapters.ts'
import { startBackground } from './background.ts'
import { type Composition, closeAll, compose } from './compose.ts'
import { connectionBounds } from './connection-bounds.ts'
import { describeDaemon, markStopping, removeDaemonFile, writeDaemonFile } from './daemon-file.ts'
import { HomeSocket } from './home-socket.ts'
import { keysOf } from './keys.ts'
import { listen, UnixListeners } from './listen.ts'
import { openOwnStore } from './open-own-store.ts'
import { keepLock, recordOwnHome, refuseLinked, unadoptedHome, watchFormerPlaces } from './own-home.ts'
import { warnOfReaders } from './readable-config.ts'
import { Reload, warnOfUnusable } from './reload.ts'
import type { Surroundings } from './surroundings.ts'
import { sweepLeftovers } from './sweep-leftovers.ts'
import { tellIsolation } from './tell-isolation.ts'

export interface DaemonOptions {
  /** IRIS_HOME, absolute. */
  readonly home: string
  readonly env: Surroundings['env']
  readonly clock?: Clock
  /** Called at each checkpoint of a turn; tests crash the daemon there. */
  readonly at?: Surroundings['at']
  /** The same for a chat's message and answer. */
  readonly atChat?: Surroundings['atChat']
  /** Memory available to processes, in bytes. Default: what the machine, or the limit set for Iris, has left. */
  readonly availableMemory?: Surroundings['availableMemory']
  /**
   * Calls from this process and the programs that it started are refused. Default: this process; tests name another,
   * because they call from this one.
   */
  readonly daemonPid?: number
  /** The proc file system; default: /proc. */
  readonly procRoot?: string
  /** The means of isolation on this machine. Default: Iris tries which of them work. */
  readonly isolation?: IsolationMeans
  /** Called when the daemon is asked over HTTP to stop. Default: the daemon stops. */
  readonly onStopAsked?: () => void
}

export interface Daemon {
  readonly port: number
  /** The configuration at the start. */
  readonly config: Config
  readonly events$: Observable<PublishedEvent>
  readonly operations: Operations
  readonly parts: Composition['parts']
  /** Settles when the local processes of a killed predecessor have ended and its turns are recovered. */
  readonly recovered: Promise<void>
  /** Resolves when the store agrees with what is on disk; work does not wait for it. */
  readonly discovered: Promise<void>
  /** Settles when the busiest pairs have been started. */
  readonly warmed: Promise<void>
  /** Accepts nothing more, gives running turns `graceMs` to end, ends all processes and releases everything. */
  stop(graceMs?: number): Promise<void>
}

/** Time that a killed predecessor's processes get to write their transcripts before they are killed. */
const sweepGraceMs = 1000
const drainMs = 30_000
/** How long the stop waits for a slow disk to take the transcripts that only people read. */
const transcriptsMs = 2000

/** Starts Iris: lock, store, adapters; then, in the background, recovers what an earlier daemon left. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const files = makeFilesPrivate()
  try {
    return await startWith(files, options)
  } catch (error) {
    files.restore()
    throw error
  }
}

async function startWith(
  { umask, restore }: PrivateFiles,
  {
    home,
    env,
    clock = systemClock,
    at = () => {},
    atChat,
    availableMemory = () => process.availableMemory(),
    daemonPid = process.pid,
    procRoot,
    isolation,
    onStopAsked,
  }: DaemonOptions,
): Promise<Daemon> {
  refuseFewOpenFiles()
  makeDirectory(home)
  shutOthersOut(home)
  const paths = homePaths(home)
  const system = new LocalSystem(clock.machine, { umask, path: env['PATH'] ?? '', means: isolation })
  // Begun early, since it takes a moment and the rest need not wait for it.
  void system.isolationMeans()
  // Uses the system's clock even in tests that have another one, because the files' times come from it.
  sweepLeftovers(tmpdir(), systemClock.now())
  const guards = guardPrograms(env['PATH'] ?? '')
  const config = await loadConfig({ home, env })
  const live = new LiveConfig(config)
  const recentLog = new RecentLog(clock)
  const secrets = new Secrets()
  secrets.add(secretsOf(config, env))
  const ordered = logLevels.find((name) => name === env['IRIS_LOG'])
  const log = createLog({
    least: () => ordered ?? live.current().settings.logLevel,
    keep: (said) => recentLog.add(said),
    secrets,
    now: () => clock.now(),
  })
  warnOfReaders(paths.config, log)
  warnOfUnusable(config, undefined, log.for('config'))
  for (const missing of missingWithoutProc(procRoot)) log.warn(`there is no /proc: ${missing}`)
  for (const missing of withoutGuards(await guards)) log.warn(missing)
  refuseLinked(home)
  const unlock = lockInstance(paths.lock, () => describeDaemon(paths.daemonFile))
  const undo = [unlock, restore]
  try {
    refuseUnadopted(home, unadoptedHome(home))
    const startClient = clientStarter(system, env)
    const from = { system, startClient, newId: randomUUID, random: Math.random }
    const whole = { live, clock, recentLog, secrets, env, at, atChat, availableMemory, ...from }
    return await serve({ ...whole, log, paths, undo, daemonPid, tags$: system.tags$, onStopAsked })
  } catch (error) {
    for (const letGo of undo) letGo()
    log.flush()
    throw error
  }
}

interface Served extends Surroundings {
  readonly log: RootLog
  readonly paths: ReturnType<typeof homePaths>
  /** Functions that release resources, in the order of their calls. */
  readonly undo: (() => void)[]
  readonly daemonPid: number
  readonly tags$: LocalSystem['tags$']
  readonly onStopAsked: (() => void) | undefined
}

async function serve({ paths, undo, daemonPid, tags$, onStopAsked, ...whole }: Served): Promise<Daemon> {
  const { live, clock, log, env, system } = whole
  const config = live.current()
  const irisTag = sha256(realpathSync(config.home)).slice(0, 16)
  const { store, rebuilt } = await openStoreHere(whole, irisTag)
  undo.unshift(() => store.close())
  const life = whole.newId()
  undo.unshift(await watchdogOf(life, { ...whole, tags$ }))
  const app = (machine: string) => adapters.tunnelApp(machine)
  const { socket, tunnels, http } = listenersOf(paths.socket, clock.machine, log, app)
  const keys = keysOf(paths, whole)
  const ways = { port: () => server.port, homeExposed: () => socket.expose(), serveTunnel: tunnels.serve }
  const made = { browserLogins: keys.logins, tokens: keys.tokens }
  const composition = compose({ ...whole, ...ways, ...made, irisTag, life, store, rebuilt })
  const { features, operations, parts } = composition
  const { orchestrator, vitals } = parts
  undo.unshift(
    onSubscriberError((error) => parts.faults.noteOfSubscriber(error)),
    watchStore(composition, paths, whole),
    () => closeAll(features, parts),
    () => keys.tokens.close(),
  )
  const around = { ...whole, keys, irisTag, daemonPid, port: ways.port, stop: onStopAsked ?? (() => void stop()) }
  const adapters = openAdapters(composition, around)
  const server = await listen(adapters.app, config.settings.httpPort, { ...http, whoOf: adapters.whoOf })
  const { port } = server
  const onBack = (why: string): void => {
    log.error(`Iris stops: ${why}`)
    around.stop()
  }
  const self = { port, pid: process.pid, startedAt: clock.now(), version: irisVersion }
  const again = (): void => writeDaemonFile(paths, self)
  again()
  undo.unshift(
    watchFormerPlaces(config.home, clock.machine, onBack),
    keepLock(config.home, { clock: clock.machine, again, onLost: onBack }),
  )
  log.info(`Iris ${irisVersion} listens on 127.0.0.1:${port}`, { teams: config.teams.size })
  const logged = tellIsolation(config.teams.keys(), parts.launcher.programs, log.for('isolation')).catch(() => {})
  recordDaemon(parts, 'daemon.started')
  vitals.eventLoop.begin(clock.machine)
  undo.unshift(() => vitals.eventLoop.end())
  const recovered = system.processes.sweep(irisTag, sweepGraceMs).then((ended) => {
    if (ended > 0) log.warn('ended processes that an earlier daemon had left', { ended })
    socket.open(adapters.letIn)
    for (const part of [parts.left, orchestrator]) part.begin()
    vitals.phase = 'serving'
    if (rebuilt) parts.publish({ type: 'store-rebuilt', rebuilt })
  })
  const background = startBackground(parts, recovered)
  const { discovered, prewarmed } = background
  const warmed = recovered.then(() => features.begin(prewarmed)).then(() => prewarmed)
  const affected = [keys, background, parts.pool, { settingsChanged: () => features.changed() }]
  const watched = { home: config.home, env, live, clock: clock.machine }
  const reload = new Reload({ ...watched, log: log.for('config'), publish: parts.publish, affected })

  const shutDown = async (graceOver: Promise<void>): Promise<void> => {
    for (const part of [reload, background]) part.end()
    await Promise.all([features.quiet(), recovered, logged])
    vitals.phase = 'stopping'
    await orchestrator.drain(graceOver)
    await features.end()
    await Promise.all([parts.pool.close(), parts.machines.end()])
    await Promise.all([background.ended(), features.ended()])
    await parts.hosts.close()
    await outlasts(clock.machine, transcriptsMs, parts.transcripts.close())
    await Promise.all([server.close(), socket.close(), tunnels.close()])
    recordDaemon(parts, 'daemon.stopped')
    removeDaemonFile(paths.daemonFile)
    parts.events.complete()
    for (const letGo of undo) letGo()
    log.info('Iris has stopped')
    log.flush()
  }
  const stop = stoppable(shutDown, { clock: clock.machine, undo, paths })
  return {
    port,
    config,
    events$: parts.everything$,
    operations,
    parts,
    recovered,
    discovered,
    warmed,
    stop,
  }
}

/** The listeners, with bounds that leave files for the daemon itself. */
function listenersOf(
  path: string,
  clock: Clock,
  log: RootLog,
  tunnelApp: ConstructorParameters<typeof UnixListeners>[0],
) {
  const bounds = connectionBounds(mostOpenFiles())
  const around = { clock, log: log.for('socket') }
  return {
    socket: new HomeSocket({ ...around, path, bounds: bounds.homeSocket }),
    tunnels: new UnixListeners(tunnelApp, { ...around, bounds: bounds.tunnels }),
    http: { clock, log, bounds: bounds.http },
  }
}

/** Only now does the home belong to this daemon: a copy made from here on is recognized as one. */
async function openStoreHere(
  whole: Pick<Served, keyof Surroundings>,
  irisTag: string,
): ReturnType<typeof openOwnStore> {
  const opened = await openOwnStore(whole, () => whole.system.processes.sweep(irisTag, sweepGraceMs))
  recordOwnHome(whole.live.current().home, whole.log)
  if (whole.live.current().settings.keepTurns !== undefined) {
    const problem = await makeShrinkable(opened.store, whole.clock)
    if (problem !== undefined) whole.log.warn(problem)
  }
  return opened
}

function watchStore(
  { features, parts }: Composition,
  paths: Served['paths'],
  { clock, log }: Surroundings,
): () => void {
  const { database: store, events } = parts
  const onRestored = (): void => features.storePutBack()
  const { storeMemory: memory, homeRecord } = paths
  const watching = new StoreWatch({ store, memory, homeRecord, clock, log: log.for('store'), onRestored })
  events.subscribe(({ type }) => type === 'turn-accepted' && watching.accepted())
  return () => watching.end()
}

/** The watchdog ends the daemon's processes when the daemon dies, even by SIGKILL. */
function watchdogOf(life: string, { clock, log, tags$ }: Pick<Served, 'clock' | 'log' | 'tags$'>): Promise<() => void> {
  const onTrouble = (why: string): void => log.warn(`processes may outlive a daemon that is killed: ${why}`)
  return startWatchdog(life, { clock: clock.machine, onTrouble, tags$ })
}

function recordDaemon({ audit, clock }: Composition['parts'], action: 'daemon.started' | 'daemon.stopped'): void {
  const detail = { version: irisVersion, pid: process.pid }
  audit.record({ at: clock.now(), actor: 'iris', action, subject: 'daemon', detail })
}

/** The home may be made by hand. If it is another user's, the chmod fails, but Iris's files in it are private. */
function shutOthersOut(home: string): void {
  try {
    chmodSync(home, 0o700)
  } catch {}
}

/** A later call with a shorter grace ends the wait sooner. */
function stoppable(
  shutDown: (graceOver: Promise<void>) => Promise<void>,
  { clock, undo, paths }: Pick<Served, 'clock' | 'undo' | 'paths'>,
) {
  const grace = Promise.withResolvers<void>()
  let stopping: Promise<void> | undefined
  return (graceMs = drainMs): Promise<void> => {
    undo.push(clock.after(graceMs, grace.resolve))
    if (stopping === undefined) markStopping(paths)
    stopping ??= shutDown(grace.promise)
    return stopping
  }
}
