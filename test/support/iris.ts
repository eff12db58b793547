import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { filter, firstValueFrom, ReplaySubject, timeout } from 'rxjs'
import { type Daemon, type DaemonOptions, startDaemon } from '../../src/app/daemon/daemon.ts'
import type { PublishedEvent } from '../../src/base/protocol/event.ts'
import { type IsolationMeans, isolationMeans } from '../../src/platform/machine/isolation-means.ts'
import { deadlineMs, WaitRanOut } from './eventually.ts'
import { countsAsOwn } from './rest.ts'
import { createWorld, tagOfIris, type World, type WorldOptions } from './world.ts'

/** The test calls from the daemon's own process. */
const ownCalls = { daemonPid: 0 }

let tried: Promise<IsolationMeans> | undefined

/**
 * What isolates programs on this machine. Each daemon would try it in two processes of its own, with the same result for the
 * same PATH.
 */
async function triedMeans(env: Readonly<Record<string, string>>): Promise<Pick<DaemonOptions, 'isolation'>> {
  const path = process.env['PATH'] ?? ''
  return env['PATH'] === path ? { isolation: await (tried ??= isolationMeans(path)) } : {}
}

/** A test that saves twice means the second save when it waits again. */
const ofSaves = new Set<PublishedEvent['type']>(['config-reloaded', 'config-rejected'])

/** A daemon inside the test's own process, with everything around it real: HTTP, SQLite, Claude Code. */
export class TestIris implements AsyncDisposable {
  readonly world: World
  readonly #options: Partial<DaemonOptions>
  #running: Daemon | undefined
  #events = new ReplaySubject<PublishedEvent>()
  /** The sequence of the last save of config.yaml that a test has waited for. */
  #lastSave = 0
  readonly #endCounting: () => void

  static async start(options: WorldOptions & Partial<DaemonOptions> = {}): Promise<TestIris> {
    const { claude, script, compaction, teams, settings, env, insight, cluster, ...daemonOptions } = options
    const world = await createWorld({
      ...(claude && { claude }),
      ...(script && { script }),
      ...(compaction && { compaction }),
      ...(teams && { teams }),
      ...(settings && { settings }),
      ...(env && { env }),
      ...(insight && { insight }),
      ...(cluster && { cluster }),
    })
    const means = await triedMeans(world.env)
    const daemon = await startDaemon({ home: world.home, env: world.env, ...ownCalls, ...means, ...daemonOptions })
    return new TestIris(world, daemonOptions, daemon)
  }

  private constructor(world: World, options: Partial<DaemonOptions>, daemon: Daemon) {
    this.world = world
    this.#endCounting = countsAsOwn(tagOfIris(world.home))
    this.#options = options
    this.#running = daemon
    daemon.events$.subscribe(this.#events)
  }

  get daemon(): Daemon {
    if (this.#running === undefined) throw new Error('this Iris has been ended by its test')
    return this.#running
  }

  get port(): number {
    return this.daemon.port
  }

  get token(): string {
    return this.world.token()
  }

  /** All events of this daemon so far, then those to come. */
  get events$() {
    return this.#events.asObservable()
  }

  /** The first event, past or to come, that fits; of saves of config.yaml the first that no earlier wait has had. */
  async event<T extends PublishedEvent['type']>(
    type: T,
    fits: (event: Extract<PublishedEvent, { type: T }>) => boolean = () => true,
  ): Promise<Extract<PublishedEvent, { type: T }>> {
    const isNew = ({ sequence }: PublishedEvent): boolean => !ofSaves.has(type) || sequence > this.#lastSave
    const is = (event: PublishedEvent): event is Extract<PublishedEvent, { type: T }> =>
      event.type === type && isNew(event) && fits(event as Extract<PublishedEvent, { type: T }>)
    const late = (): never => {
      throw new WaitRanOut(`no event ${type} that fits within ${deadlineMs} ms`)
    }
    const found = await firstValueFrom(this.#events.pipe(filter(is), timeout({ first: deadlineMs, with: late })))
    if (ofSaves.has(type)) this.#lastSave = found.sequence
    return found
  }

  async restart(options: Partial<DaemonOptions> = {}): Promise<void> {
    await this.daemon.stop(0)
    this.#events = new ReplaySubject()
    this.#lastSave = 0
    const own = { home: this.world.home, env: this.world.env, ...ownCalls }
    this.#running = await startDaemon({ ...own, ...(await triedMeans(this.world.env)), ...this.#options, ...options })
    this.#running.events$.subscribe(this.#events)
  }

  /** Changes the store beside the daemon, for states that take long to come to. */
  change(sql: string): void {
    using database = new DatabaseSync(join(this.world.home, 'data/team-sessions.db'))
    database.exec(sql)
  }

  /** What the store holds. */
  rows(sql: string): Record<string, unknown>[] {
    const database = new DatabaseSync(join(this.world.home, 'data/team-sessions.db'), { readOnly: true })
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.stop(0)
    // Vitest keeps what a test's closures hold until its process ends, and files share processes.
    this.#running = undefined
    this.#events = new ReplaySubject()
    this.#endCounting()
    await this.world[Symbol.asyncDispose]()
  }
}
