import { Discovery } from '../../kernel/discovery/discovery.ts'
import { checkHealth } from '../../kernel/pool/health-check.ts'
import { prewarm } from '../../kernel/pool/prewarm.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import { homePaths } from '../../platform/config/home.ts'
import { checkLater } from '../../platform/store/check-later.ts'
import type { Composition } from './compose.ts'
import { discoverDaily } from './discover-daily.ts'
import { pruneDaily } from './prune-daily.ts'

export interface Background {
  /** Settles when the first discovery on this machine is over. */
  readonly discovered: Promise<void>
  /** Settles when the busiest pairs have been started. */
  readonly prewarmed: Promise<void>
  /** To be called when another configuration is in force. */
  settingsChanged(): void
  /** Starts no further work. */
  end(): void
  /** Settles when the running work has ended. */
  ended(): Promise<unknown>
}

/**
 * Starts the kernel's work that nobody waits for: discovers conversations on disk, archives unused sessions, deletes
 * old turns, starts processes for the busiest pairs, checks that idle processes still respond. `recovered` settles when
 * a former daemon's turns are recovered.
 */
export function startBackground(parts: Composition['parts'], recovered: Promise<void>): Background {
  const {
    archive,
    clock,
    config,
    database,
    journal,
    kept,
    log,
    machines,
    pool,
    publish,
    rows,
    sessionRegistry: sessions,
  } = parts
  /** The teams on this machine. Other machines are contacted only when there is something to do. */
  const claudeHere = (team: string) => {
    const found = workingTeam(config(), team)
    return found !== undefined && found.remote === undefined ? machines.of(team).claude : undefined
  }
  const found = { clock, sessions, rows, kept, teams: () => config().teams, claudeOf: claudeHere }
  const streamsDirectory = homePaths(config().home).streams
  const around = { publish, clock, log: log.for('discovery') }
  const discovery = discoverHereAndThere(machines, { ...found, streamsDirectory }, around, recovered)
  const pruning = pruneDaily({ ...parts, log: log.for('store') }, recovered)
  void journal.pruneDaily(recovered)
  let leaving = false
  let endCheck = (): void => {}
  void recovered.then(() => {
    if (leaving) return
    archive.begin()
    endCheck = checkLater(database, (why) => log.error(`the store is damaged: ${why}; restart Iris to fix it`))
  })
  const warming = { ...parts, log: log.for('prewarm'), sessions }
  const prewarmed = recovered
    .then(() => prewarm(warming))
    .catch((error: unknown) => warming.log.warn(`nobody was warmed up: ${String(error)}`))
  const checks = (): (() => void) => checkHealth({ pool, clock, publish }, config().settings.healthCheckInterval)
  let endHealthChecks = checks()
  return {
    discovered: discovery.first,
    prewarmed,
    settingsChanged() {
      endHealthChecks()
      endHealthChecks = checks()
    },
    end() {
      leaving = true
      archive.end()
      for (const end of [endCheck, endHealthChecks]) end()
      for (const each of [discovery, pruning]) void each.stop()
      void journal.end()
    },
    ended: () => Promise.all([discovery.stop(), pruning.stop(), journal.end()]),
  }
}

type DiscoveryParts = ConstructorParameters<typeof Discovery>[0]

/** Discovery of this machine comes first, so that it does not wait for other machines. */
function discoverHereAndThere(
  machines: Composition['parts']['machines'],
  parts: DiscoveryParts,
  around: Omit<Parameters<typeof discoverDaily>[0], 'discover'>,
  ready: Promise<void>,
) {
  const here = discoverDaily({ ...around, discover: discoverer(machines, parts) }, ready)
  const elsewhere = discoverDaily({ ...around, discover: discovererElsewhere(machines, parts) }, here.first)
  return { first: here.first, stop: () => Promise.all([here.stop(), elsewhere.stop()]) }
}

/**
 * Discovers the conversations on other machines, each over its own shell. A machine that does not answer, or stops
 * answering, is left out: its conversations do not count as missing.
 */
function discovererElsewhere(machines: Composition['parts']['machines'], parts: DiscoveryParts) {
  return async (signal: AbortSignal) => {
    const trees = await machines.treesElsewhere([...parts.teams().keys()])
    if (trees.size === 0) return undefined
    const claudeOf = (team: string) => (machines.linkOf(team)?.state === 'connected' ? trees.get(team) : undefined)
    return new Discovery({ ...parts, claudeOf }, signal).run()
  }
}

/** The daily work: keeps hidden places hidden, and discovers the conversations on disk. */
function discoverer(machines: Composition['parts']['machines'], parts: DiscoveryParts) {
  return (signal: AbortSignal) => {
    machines.keepHidden()
    return new Discovery(parts, signal).run()
  }
}
