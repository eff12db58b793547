import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startDaemon } from '../src/app/daemon/daemon.ts'
import { type Clock, systemClock } from '../src/base/lib/clock.ts'
import { homePaths } from '../src/platform/config/home.ts'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { createWorld } from '../test/support/world.ts'
import { ask } from './in-process.ts'
import { ratio } from './measure.ts'
import type { Row } from './row.ts'

const dayMs = 86_400_000
const isSmall = process.argv.includes('small')
/** The journal keeps events of 30 days. */
const days = 40
const lastDays = 5
/** The time that a day takes here, milliseconds. */
const shortDayMs = isSmall ? 2000 : 30_000
const callers = 8
const threads = 5
const teams = ['backend', 'mobile', 'frontend', 'docs']
const grew = 1.15
/** Smaller sizes are as good as this one, in bytes. */
const least = 2 ** 20
const shortMs = 600_000

/** Its days pass quickly; waits for programs, disks and links, and all short ones, last as long as ever. */
class QuickDays implements Clock {
  readonly #beganAt = systemClock.now()
  readonly #began = systemClock.elapsed()
  readonly #speed: number
  readonly machine: Clock = {
    now: () => this.now(),
    elapsed: () => systemClock.elapsed(),
    after: (ms, run) => systemClock.after(ms, run),
    machine: systemClock,
  }

  constructor(speed: number) {
    this.#speed = speed
  }

  now(): number {
    return Math.round(this.#beganAt + this.elapsed())
  }

  elapsed(): number {
    return (systemClock.elapsed() - this.#began) * this.#speed
  }

  after(ms: number, run: () => void): () => void {
    return systemClock.after(ms < shortMs ? ms : ms / this.#speed, run)
  }
}

interface Sizes {
  readonly store: number
  readonly log: number
  readonly index: number
  /** The transcripts that people read. */
  readonly streams: number
  /** Iris's hard links to Claude Code's own transcripts, which stay whole while their conversations continue. */
  readonly transcripts: number
  readonly heap: number
}

/**
 * D: days at half of the load that Iris can take, with `keepTurns: 1` and the same conversations. By the last days the
 * messages and events of the first ones have been deleted, so what Iris keeps grows no more.
 */
export async function quickDays(): Promise<readonly Row[]> {
  const fake = fakeClaude({ bare: true })
  const settings = {
    claudePath: fake.claudePath,
    env: fake.env,
    keepTurns: 1,
    maxProcesses: 30,
    // Measured by readings of the clock, which pass as quickly as the days.
    responseTimeout: dayMs,
  }
  const world = await createWorld({ teams: Object.fromEntries(teams.map((team) => [team, {}])), settings })
  const daemon = await startDaemon({
    home: world.home,
    env: world.env,
    clock: new QuickDays(dayMs / shortDayMs),
    daemonPid: 0,
  })
  let [turns, failed, day] = [0, 0, 0]
  const askOnce = async (caller: number, at: number): Promise<void> => {
    const { status } = await ask({ daemon }, `Question ${at} of day ${day}?`, {
      toTeam: teams[caller % teams.length]!,
      thread: `caller${caller}-${at % threads}`,
      timeout: shortMs - 1,
    })
    turns += 1
    if (status !== 'completed') failed += 1
  }
  const measured: Sizes[] = []
  for (; day < days; day++) {
    const until = systemClock.elapsed() + shortDayMs
    await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        for (let at = 0; systemClock.elapsed() < until; at++) {
          const began = systemClock.elapsed()
          await askOnce(caller, at)
          // As long at rest as at work: half of what it can take.
          await new Promise<void>((resolve) => void systemClock.after(systemClock.elapsed() - began, resolve))
        }
      }),
    )
    measured.push(sizesOf(world.home))
    console.log(`day ${day + 1}: ${turns} messages, ${failed} not completed, ${JSON.stringify(measured.at(-1))}`)
  }
  await daemon.stop(0)
  const [before, last] = [measured.at(-1 - lastDays)!, measured.at(-1)!]
  return (Object.keys(last) as (keyof Sizes)[]).map((name) => ({
    id: 'D',
    what: `${name} after ${days} days at half load, to that after ${days - lastDays}`,
    measured: `${ratio(Math.max(least, last[name]) / Math.max(least, before[name]))} (${mib(before[name])} → ${mib(last[name])})`,
    aim: name === 'transcripts' ? '–' : `≤ ${grew}×`,
    data: { measured, turns, failed },
  }))
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

function sizesOf(home: string): Sizes {
  const paths = homePaths(home)
  globalThis.gc?.()
  return {
    store: sizeOf(paths.database),
    log: sizeOf(`${paths.database}-wal`),
    index: sizeOf(paths.searchIndex),
    streams: sizeBelow(paths.streams),
    transcripts: sizeBelow(paths.transcripts),
    heap: process.memoryUsage().heapUsed,
  }
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0
}

function sizeBelow(directory: string): number {
  if (!existsSync(directory)) return 0
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + sizeOf(join(parentPath, name)), 0)
}
