import type { Log } from '../../base/lib/log.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { WarmAhead } from '../../features/insight/warm-ahead.ts'
import { WeeklyReflection } from '../../features/insight/weekly-reflection.ts'
import { indexMessages } from '../../features/search/index-messages.ts'
import { keepTranscripts } from '../../features/transcripts/keep-transcripts.ts'
import { Discovery } from '../../kernel/discovery/discovery.ts'
import { checkHealth } from '../../kernel/pool/health-check.ts'
import { type PrewarmParts, prewarm, warmUpPair } from '../../kernel/pool/prewarm.ts'
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
  readonly warmed: Promise<void>
  /** To be called when another configuration is in force. */
  settingsChanged(): void
  /** Starts no further work. */
  end(): void
  /** Settles when the running work has ended. */
  ended(): Promise<unknown>
}

/**
 * Starts the work that nobody waits for: keeps transcripts, discovers conversations on disk, indexes messages, archives
 * unused sessions, starts the busiest pairs, asks idle processes whether they live. `recovered`: settles when the turns
 * of a former daemon are taken up.
 */
export function startBackground(
  composition: Composition,
  { recovered, log, availableMemory }: { recovered: Promise<void>; log: Log; availableMemory: () => number },
): Background {
  const { core, domain, events, publish, store, rows, kept, launcher, machines, archive } = composition
  const { config, clock } = domain
  const { sessions, pool, takeOvers } = core
  const claudeOf = (team: string) => workingTeam(config(), team) && machines.of(team).claude
  const keepingEnds = keepTranscripts(events, async (team, sessionId) => {
    const claude = claudeOf(team)
    return claude !== undefined && (await kept.keepOf(claude, sessionId)) === 'kept'
  })
  /** The teams on this machine. Other machines are contacted only when there is something to do. */
  const here = () => [...config().teams.values()].filter(({ remote }) => remote === undefined).map(({ name }) => name)
  const claudeHere = (team: string) => (workingTeam(config(), team)?.remote === undefined ? claudeOf(team) : undefined)
  const found = { clock, sessions, rows, kept, teams: () => config().teams, claudeOf: claudeHere }
  const streamsDirectory = homePaths(config().home).streams
  const around = { publish, clock, log: log.for('discovery') }
  const discovery = discoverHereAndThere(machines, { ...found, streamsDirectory }, around, recovered)
  const pruning = pruneDaily({ ...domain, log: log.for('store') }, recovered)
  let leaving = false
  let endCheck = (): void => {}
  let endIndexing = (): void => {}
  void recovered.then(() => {
    if (leaving) return
    archive.begin()
    endIndexing = indexMessages(events, domain)
    endCheck = checkLater(store, (why) => log.error(`the store is damaged: ${why}; start Iris again to have it fixed`))
  })
  const ofWarming = { config, clock, log: log.for('prewarm'), sessions, launcher, pool, availableMemory }
  const { learning, warmed } = startWarming(ofWarming, { ...composition, recovered })
  // From then on take-overs are seen at once.
  void recovered.then(() => Promise.all(here().map((team) => takeOvers.look(team))))
  const checks = (): (() => void) => checkHealth({ pool, clock, publish }, config().settings.healthCheckInterval)
  let endHealthChecks = checks()
  const lookAtClaude = lookingAtClaude(composition, { recovered, log })
  return {
    discovered: discovery.first,
    warmed,
    settingsChanged() {
      endHealthChecks()
      endHealthChecks = checks()
      lookAtClaude()
      learning.begin()
    },
    end() {
      leaving = true
      learning.close()
      archive.end()
      for (const end of [endCheck, endIndexing, endHealthChecks]) end()
      for (const each of [discovery, pruning]) void each.stop()
    },
    ended: () => Promise.all([discovery.stop(), pruning.stop(), keepingEnds()]),
  }
}

/** Finds out which Claude Code is installed, now and after each start of a process. Returns a function that does so again. */
function lookingAtClaude(
  { claudeWatch, events }: Pick<Composition, 'claudeWatch' | 'events'>,
  { recovered, log }: { recovered: Promise<void>; log: Log },
): () => void {
  const look = (): void =>
    void claudeWatch
      .look()
      .catch((error: unknown) => log.warn(`nobody knows which Claude Code there is: ${String(error)}`))
  void recovered.then(look)
  // Claude Code may update itself between two starts.
  events.subscribe(({ type }) => type === 'process-spawned' && look())
  return look
}

interface WarmingAround extends Pick<Composition, 'events' | 'publish' | 'domain' | 'balancing'> {
  readonly recovered: Promise<void>
}

/** Starts the busiest pairs, and from then on what usually is needed next. Looks each week for what could be changed. */
function startWarming(parts: PrewarmParts, { events, publish, recovered, domain, balancing }: WarmingAround) {
  const warmUp = (pair: Pair) => warmUpPair(pair, parts)
  const warmAhead = new WarmAhead({ ...parts, insight: domain.insight, warmUp, publish })
  const weekly = new WeeklyReflection({ ...domain, runs: domain.reflectionRuns, publish, log: parts.log })
  void recovered.then(() => [weekly, domain.watchedAnswers].forEach((each) => each.begin()))
  events.subscribe((event) => warmAhead.take(event))
  const warmed = recovered
    .then(() => prewarm(parts))
    .then(() => warmAhead.learn())
    .then(() => balancing.learn(domain.insight))
    .catch((error: unknown) => parts.log.warn(`nobody was warmed up: ${String(error)}`))
  const learning = {
    begin(): void {
      void warmAhead.learn()
      void balancing.learn(domain.insight)
      weekly.begin()
    },
    close: () => [warmAhead, weekly].forEach((each) => each.close()),
  }
  return { learning, warmed }
}

type DiscoveryParts = ConstructorParameters<typeof Discovery>[0]

/** Discovery of this machine comes first, so that it does not wait for other machines. */
function discoverHereAndThere(
  machines: Composition['machines'],
  parts: DiscoveryParts,
  around: Omit<Parameters<typeof discoverDaily>[0], 'discover'>,
  ready: Promise<void>,
) {
  const here = discoverDaily({ ...around, discover: discoverer(machines, parts) }, ready)
  const elsewhere = discoverDaily({ ...around, discover: discovererElsewhere(machines, parts) }, here.first)
  return { first: here.first, stop: () => Promise.all([here.stop(), elsewhere.stop()]) }
}

/**
 * Discovers the conversations on other machines, each over a shell of its own. A machine that does not answer, or stops
 * answering, is left out: its conversations do not count as missing.
 */
function discovererElsewhere(machines: Composition['machines'], parts: DiscoveryParts) {
  return async (signal: AbortSignal) => {
    const trees = await machines.treesElsewhere([...parts.teams().keys()])
    if (trees.size === 0) return undefined
    const claudeOf = (team: string) => (machines.linkOf(team)?.state === 'connected' ? trees.get(team) : undefined)
    return new Discovery({ ...parts, claudeOf }, signal).run()
  }
}

/** The daily work: keeps hidden places hidden, and discovers the conversations on disk. */
function discoverer(machines: Composition['machines'], parts: DiscoveryParts) {
  return (signal: AbortSignal) => {
    machines.keepHidden()
    return new Discovery(parts, signal).run()
  }
}
