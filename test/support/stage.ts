import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DaemonOptions } from '../../src/app/daemon/daemon.ts'
import { type Line, textDelta } from '../../src/base/agent/line.ts'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { probeTimeoutMs } from '../../src/kernel/deliver/silence.ts'
import { lossShowsMs } from '../../src/platform/machine/child.ts'
import { taggedProcesses } from '../../src/platform/machine/process-tag.ts'
import { callTool } from './call-tool.ts'
import { eventually } from './eventually.ts'
import { type FakeClaudeSetup, fakeClaude, type Script } from './fake-claude.ts'
import { TestIris } from './iris.ts'
import { isElsewhere } from './is-elsewhere.ts'
import { type ClockOptions, JumpingClock } from './jumping-clock.ts'
import { overlappingWriters } from './oracle.ts'
import { tagOfIris, type WorldOptions } from './world.ts'

export interface StageOptions extends ClockOptions, Pick<WorldOptions, 'teams' | 'settings' | 'insight'> {
  /** What the fake plays; a function gets paths in the fake's own directory. */
  readonly script?: Script | ((file: (name: string) => string) => Script)
  /** The test stops Iris while something is at work, so that a turn stays open in the ledger. */
  readonly leavesUnsettled?: boolean
  readonly at?: DaemonOptions['at']
}

/** How long Iris waits for a process to say that it lives; over a link as much longer as a loss takes to show. */
export const probeMs = probeTimeoutMs + (isElsewhere ? lossShowsMs : 0)

/**
 * Iris with the fake claude and a clock that can jump. At its end it shows what must be true after every test: each turn
 * settled once, no process left, no session ever held by two, no link lost.
 */
export class Stage implements AsyncDisposable {
  readonly iris: TestIris
  readonly fake: FakeClaudeSetup
  readonly clock: JumpingClock
  readonly #leavesUnsettled: boolean

  static async start({
    script,
    teams,
    settings,
    insight,
    leavesUnsettled = false,
    at,
    ...clockOptions
  }: StageOptions = {}): Promise<Stage> {
    const fake = fakeClaude(script === undefined ? {} : { script })
    const clock = new JumpingClock(clockOptions)
    const iris = await TestIris.start({
      clock,
      settings: { claudePath: fake.claudePath, env: { ...fake.env }, ...settings },
      ...(teams && { teams }),
      ...(insight && { insight }),
      ...(at && { at }),
    })
    await iris.daemon.recovered
    return new Stage(iris, fake, clock, leavesUnsettled)
  }

  private constructor(iris: TestIris, fake: FakeClaudeSetup, clock: JumpingClock, leavesUnsettled: boolean) {
    this.iris = iris
    this.fake = fake
    this.clock = clock
    this.#leavesUnsettled = leavesUnsettled
  }

  get irisTag(): string {
    return tagOfIris(this.iris.world.home)
  }

  /** Resolves with the id of the turn once Iris has read this piece of text, past or to come. */
  async said(text: string): Promise<string> {
    const fits = ({ message }: { message: unknown }): boolean => textDelta(message as Line) === text
    return (await this.iris.event('turn-message', fits)).turnId
  }

  /** How a turn stands; with the timeout 0, how it ended. */
  async status(turnId: string, timeout = -1): Promise<TurnResult> {
    return (await callTool(this.iris, 'message_status', { turnId, timeout })) as TurnResult
  }

  /** How processes took their sessions up, in order. */
  starts(): string[] {
    return this.fake.oracle().flatMap(({ event }) => (event === 'start' || event === 'resume' ? [event] : []))
  }

  /** The same until this settles: a line may come late, and counts as a word when it comes. */
  async passSilentlyUntil(awaited: Promise<unknown>): Promise<void> {
    let hasSettled = false
    const settled = (): void => void (hasSettled = true)
    awaited.then(settled, settled)
    await eventually(async () => hasSettled || (await this.clock.jump(probeTimeoutMs), hasSettled), 'it ends')
  }

  /** Changes the store behind the back of a daemon that has stopped. */
  change(sql: string): void {
    using database = new DatabaseSync(join(this.iris.world.home, 'data/team-sessions.db'))
    database.exec(sql)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const settledTwice: string[] = []
    const ends = new Set<string>()
    const linksLost: string[] = []
    this.iris.events$.subscribe((event) => {
      if (event.type === 'link-lost') linksLost.push(event.why)
      if (event.type !== 'turn-settled') return
      if (ends.has(event.turnId)) settledTwice.push(event.turnId)
      ends.add(event.turnId)
    })
    await this.iris.daemon.stop(0)
    const unsettled = this.#leavesUnsettled ? [] : this.iris.rows(`SELECT id FROM turns WHERE state <> 'settled'`)
    const faults = {
      settledTwice,
      unsettled,
      left: await taggedProcesses(this.irisTag),
      zombies: await leftZombies(),
      overlaps: overlappingWriters(this.fake.oracle()),
      lostLinks: linksLost,
    }
    await this.iris[Symbol.asyncDispose]()
    this.fake[Symbol.dispose]()
    const broken = Object.entries(faults).filter(([, found]) => found.length > 0)
    if (broken.length > 0) throw new Error(`after the test: ${JSON.stringify(Object.fromEntries(broken))}`)
  }
}

/** Node asks about a child a moment after its end. */
function leftZombies(): Promise<number[]> {
  return eventually(() => zombies().length === 0, 'no child that ended is left').then(() => [], zombies)
}

/** Children of this process that have ended and that nobody asked about. */
function zombies(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const [state, parent] = statusOf(pid)
      return state === 'Z' && Number(parent) === process.pid
    })
}

function statusOf(pid: number): string[] {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return status.slice(status.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
