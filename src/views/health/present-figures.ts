import { spaceAt } from '../../base/lib/disk-space.ts'
import type { ProcessState } from '../../base/protocol/event.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import { notReadyBecause } from '../../features/configuration/handlers/readiness.ts'
import type { Outbox } from '../../features/outbox/outbox.ts'
import type { Questions } from '../../features/permission/questions.ts'
import { type Family, gauge, type Sample } from '../../platform/metrics/exposition.ts'
import type { Vitals } from '../../platform/metrics/vitals.ts'
import { breakersOf, type HealthParts } from './handlers/health.ts'

/** The sources of the figures. */
export interface FigureParts extends HealthParts {
  readonly vitals: Vitals
  readonly outbox: Pick<Outbox, 'families'>
  readonly questions: Pick<Questions, 'openCount'>
}

const states: readonly ProcessState[] = ['spawning', 'idle', 'processing', 'terminating']

/** The output for Prometheus: the current figures, read at each request, and the counters. */
export async function figuresOf(parts: FigureParts): Promise<Family[]> {
  const { events, store, calls, featureFaults } = parts.vitals
  const present = [...ownFigures(parts), ...workFigures(parts), ...(await storeFigures(parts))]
  return [...present, ...parts.outbox.families, ...events.families, store.family, calls.family, featureFaults.family]
}

function ownFigures({ vitals }: FigureParts): Family[] {
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const { p50Ms, p99Ms, maxMs } = vitals.eventLoop.view
  const delay = (quantile: string, ms: number | null): Sample[] =>
    ms === null ? [] : [{ labels: { quantile }, value: ms / 1000 }]
  return [
    gauge('iris_build_info', 'The running version; always 1.', [
      { labels: { version: irisVersion, node: process.version }, value: 1 },
    ]),
    gauge('process_start_time_seconds', 'When Iris was started, seconds since the epoch.', vitals.startedAt / 1000),
    {
      ...gauge('process_cpu_seconds_total', 'Processor time of the daemon itself.', (user + system) / 1e6),
      type: 'counter',
    },
    gauge('process_resident_memory_bytes', 'Memory of the daemon itself.', rss),
    gauge('iris_heap_used_bytes', "Memory of the daemon that JavaScript's heap uses.", heapUsed),
    gauge('iris_event_loop_delay_seconds', 'How late the event loop is, over the last one to two minutes.', [
      ...delay('0.5', p50Ms),
      ...delay('0.99', p99Ms),
      ...delay('1', maxMs),
    ]),
  ]
}

function workFigures(parts: FigureParts): Family[] {
  const { sessions, config, questions, vitals, configProblem } = parts
  const all = sessions.opened()
  const held = sessions.awake()
  const inState = (state: ProcessState): number => held.filter(({ processState }) => processState === state).length
  const queues = new Map([...config().teams.keys()].map((team) => [team, 0]))
  for (const { to, waiting } of all) queues.set(to, (queues.get(to) ?? 0) + waiting)
  return [
    gauge('iris_ready', 'Whether Iris accepts messages, as /ready says.', notReadyBecause(parts).length === 0 ? 1 : 0),
    gauge(
      'iris_processes',
      'Processes, by state.',
      states.map((state) => ({ labels: { state }, value: inState(state) })),
    ),
    gauge('iris_processes_max', 'The limit on processes: settings.maxProcesses.', sessions.processes.maxProcesses),
    gauge('iris_breakers_open', 'Pairs that get no process after repeated failures.', breakersOf(parts).length),
    gauge(
      'iris_turns_running',
      'Messages being answered.',
      all.filter(({ runningTurnId }) => runningTurnId !== undefined).length,
    ),
    gauge(
      'iris_queue_length',
      'Messages waiting behind those being answered.',
      [...queues].map(([team, value]) => ({ labels: { team }, value })),
    ),
    gauge('iris_permissions_open', 'Questions whether a tool may run that wait for an answer.', questions.openCount),
    gauge('iris_stream_readers', 'Readers of the event stream.', vitals.readers.count),
    gauge(
      'iris_config_in_force',
      'Whether the last saved config.yaml is in force.',
      configProblem() === undefined ? 1 : 0,
    ),
  ]
}

async function storeFigures({ store, storeFile }: FigureParts): Promise<Family[]> {
  const { file, wal } = storeFile.sizes
  const { damage, unrecordedEnds } = store()
  const disk = await spaceAt(storeFile.path)
  return [
    gauge('iris_store_bytes', 'Size of the store, and of its write-ahead log.', [
      { labels: { file: 'database' }, value: file },
      { labels: { file: 'wal' }, value: wal },
    ]),
    gauge('iris_store_damaged', 'Whether the store is damaged and refuses writes.', damage === undefined ? 0 : 1),
    gauge('iris_store_unrecorded_ends', 'Ends of messages that the store has not recorded yet.', unrecordedEnds),
    ...(disk ? [gauge('iris_disk_free_bytes', "Free space on the store's disk.", disk.freeBytes)] : []),
  ]
}
