import type { z } from 'zod'
import { spaceAt } from '../../../base/lib/disk-space.ts'
import { irisVersion } from '../../../base/protocol/version.ts'
import { notReadyBecause, type ReadinessParts } from '../../../features/configuration/handlers/readiness.ts'
import type { Search } from '../../../features/search/search.ts'
import type { FeatureList } from '../../../kernel/call/composition.ts'
import type { LiveConfig } from '../../../platform/config/live-config.ts'
import type { Attachments } from '../../../platform/store/attachments.ts'
import { type InboxParts, needs } from '../../inbox/handlers.ts'
import type { getHealth } from '../contract.ts'
import { problemsOf } from './health-problems.ts'

/** The dependencies of these operations. */
export interface HealthParts extends ReadinessParts, InboxParts, FeatureList {
  readonly search: Pick<Search, 'find' | 'takeIn' | 'startOver' | 'indexBytes'>
  /** The contents of the files that came with messages. */
  readonly attachments: Attachments
  readonly liveConfig: Pick<LiveConfig, 'reread'>
}

type Output = z.output<typeof getHealth.output>

/** get_health: the figures, the sessions that need a person, and the problems that the figures show. */
export async function health(parts: HealthParts): Promise<Output> {
  const { vitals, clock, sessions, configProblem, claudeProblem } = parts
  // Whoever asks wants to know whether a missing directory is back.
  if (parts.config().unusable.length > 0) await parts.liveConfig.reread()
  const now = clock.now()
  const configured = configProblem()
  const changed = claudeProblem()
  const figures = {
    version: irisVersion,
    pid: process.pid,
    startedAt: vitals.startedAt,
    uptimeMs: vitals.uptimeMs,
    phase: vitals.phase,
    notReady: notReadyBecause(parts),
    memory: memory(),
    eventLoopDelay: vitals.eventLoop.view,
    store: await storeFigures(parts),
    pool: sessions.processes,
    healthChecks: [...vitals.healthChecks],
    breakers: breakersOf(parts),
    isolation: await isolations(parts),
    features: parts.openedFeatures(),
    streamReaders: vitals.readers.count,
    ...(configured !== undefined && { configProblem: configured }),
    ...(changed !== undefined && { claudeProblem: changed }),
    timestamp: now,
  }
  return { ...figures, needs: needs(parts), problems: problemsOf(figures, parts.brokenNow()) }
}

function memory(): Output['memory'] {
  const { rss, heapUsed, heapTotal } = process.memoryUsage()
  return { rssBytes: rss, heapUsedBytes: heapUsed, heapTotalBytes: heapTotal }
}

async function storeFigures({ store, storeFile, search, attachments, vitals }: HealthParts): Promise<Output['store']> {
  const { file, wal } = storeFile.sizes
  const disk = await spaceAt(storeFile.path)
  return {
    ...store(),
    fileBytes: file,
    walBytes: wal,
    indexBytes: search.indexBytes,
    attachmentBytes: attachments.total(),
    commits: vitals.store.recentCommits,
    ...(disk && { disk }),
  }
}

export function breakersOf({ sessions }: Pick<HealthParts, 'sessions'>): Output['breakers'] {
  return sessions
    .opened()
    .flatMap(({ from, to, thread, breaker }) => (breaker === undefined ? [] : [{ from, to, thread, ...breaker }]))
}

async function isolations({ launcher }: HealthParts): Promise<Output['isolation']> {
  const teams = [...(await launcher.programs.isolationsOfAll())].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return teams.map(([team, isolation]) => ({ team, ...isolation }))
}
