import { copyFileSync, existsSync, statSync, truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Background, startBackground } from '../../src/app/daemon/background.ts'
import { type Composition, closeAll, compose } from '../../src/app/daemon/compose.ts'
import type { Log } from '../../src/base/lib/log.ts'
import { RecentLog } from '../../src/base/lib/recent-log.ts'
import { Secrets } from '../../src/base/lib/secrets.ts'
import type { Pair } from '../../src/base/protocol/pair.ts'
import { Tokens } from '../../src/features/tokens/tokens.ts'
import type { Operations } from '../../src/kernel/call/operations.ts'
import type { OrchestratorParts } from '../../src/kernel/recover/parts.ts'
import type { Config } from '../../src/platform/config/config.ts'
import { homePaths } from '../../src/platform/config/home.ts'
import { LiveConfig } from '../../src/platform/config/live-config.ts'
import { openDatabase } from '../../src/platform/store/database.ts'
import type { Machine } from './machine.ts'
import { Life, type Time } from './time.ts'

export interface DaemonParts {
  readonly time: Time
  readonly machine: Machine
  readonly config: Config
  readonly env: Readonly<Record<string, string>>
  readonly newId: () => string
  readonly random: () => number
  readonly at: OrchestratorParts['at']
  readonly onError: (message: string) => void
  readonly leftOut?: ReadonlySet<string> | undefined
}

const sweepGraceMs = 1000
const availableMemory = (): number => 2 ** 40

/** One life of the daemon, as src/app/daemon/daemon.ts leads it, without its adapters. */
export class DaemonLife {
  readonly life = new Life()
  readonly operations: Operations
  readonly parts: Composition['parts']
  readonly ledger: Ledger
  readonly #given: DaemonParts
  readonly #store: ReturnType<typeof openDatabase>
  readonly features: Composition['features']
  readonly #recovered: Promise<void>
  readonly #background: Background
  /** Bytes of the write-ahead log that a power cut leaves. */
  #onDisk: number

  constructor(given: DaemonParts) {
    const { time, machine, config, env, newId, random, at, onError, leftOut } = given
    this.#given = given
    const clock = time.clock(this.life)
    const whileAlive: OrchestratorParts['at'] = (checkpoint, turn) => {
      if (!this.life.hasEnded) at(checkpoint, turn)
    }
    const log = silentLog((message) => {
      if (!this.life.hasEnded) onError(message)
    })
    const system = machine.system(this.life)
    const whole = {
      live: new LiveConfig(config),
      clock,
      log,
      recentLog: new RecentLog(clock),
      secrets: new Secrets(),
      env,
      at: whileAlive,
      system,
      startClient: () => Promise.reject(new Error('there is no other machine')),
      newId,
      random,
      availableMemory,
    }
    this.#store = openDatabase(config.database.path)
    // Then the log only grows, and what a power cut leaves of it is its beginning.
    this.#store.exec('PRAGMA wal_autocheckpoint = 0')
    this.#store.syncWith(() => this.#sync())
    const { features, operations, parts } = compose(
      {
        ...whole,
        store: this.#store,
        rebuilt: undefined,
        irisTag: 'months',
        life: 'one',
        port: () => 0,
        homeExposed: () => {},
        browserLogins: { list: () => [], revoke: () => false },
        tokens: new Tokens({ file: homePaths(config.home).tokens, key: () => 'a key', clock, log }),
        serveTunnel: async () => {},
      },
      leftOut,
    )
    this.features = features
    this.operations = operations
    this.parts = parts
    this.#onDisk = this.#logBytes
    const meter = parts.vitals.store
    this.#store.measureWith({
      now: () => meter.now(),
      took: (operation, ms, now) => {
        if (operation === 'commit') this.#onDisk = this.#logBytes
        meter.took(operation, ms, now)
      },
    })
    this.ledger = new Ledger(config.database.path)
    this.#recovered = system.processes.sweep('months', sweepGraceMs).then(() => parts.orchestrator.begin())
    this.#background = startBackground(parts, this.#recovered)
    void this.#recovered.then(() => features.begin(this.#background.prewarmed))
  }

  /**
   * The store as the end of this life leaves it, under another name: what is left of this life cannot change it any more. A
   * power cut takes what is not on the disk.
   */
  crash(copy: string, powerCut: boolean): void {
    this.life.end()
    this.#background.end()
    const { path } = this.#given.config.database
    for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix)
    if (powerCut) truncateSync(`${copy}-wal`, this.#onDisk)
  }

  get #logBytes(): number {
    return statSync(`${this.#given.config.database.path}-wal`).size
  }

  /** A sync takes a moment, in which other things happen. */
  #sync(): Promise<void> {
    const bytes = this.#logBytes
    return new Promise((resolve) => {
      this.#given.time.clock(this.life).after(20, () => {
        this.#onDisk = Math.max(this.#onDisk, bytes)
        resolve()
      })
    })
  }

  /** From now on the store takes nothing, or what fits in its pages, as on a full disk; until it is called with nothing. */
  fillDisk(how: 'full' | 'readonly' | undefined): void {
    if (this.life.hasEnded) return
    this.#store.exec(`PRAGMA query_only = ${how === 'readonly' ? 'ON' : 'OFF'}`)
    this.#store.exec(`PRAGMA max_page_count = ${how === 'full' ? 1 : 2 ** 30}`)
  }

  /** In order: what runs gets so much time. */
  async stop(graceMs: number): Promise<void> {
    const { time } = this.#given
    const grace = Promise.withResolvers<void>()
    const cancelTimer = time.clock(this.life).after(graceMs, grace.resolve)
    this.#background.end()
    await this.features.quiet()
    await this.#recovered
    await this.parts.orchestrator.drain(grace.promise)
    await this.features.end()
    await this.parts.pool.close()
    await this.#background.ended()
    // Threads are real, and end in a time that does not pass here.
    void this.features.ended()
    await this.parts.transcripts.close()
    closeAll(this.features, this.parts)
    cancelTimer()
  }

  /** Once nothing of it can continue. */
  close(): void {
    this.ledger.close()
    closeAll(this.features, this.parts)
    const { search }: Partial<Composition['parts']> = this.parts
    void search?.close()
    this.#store.close()
  }
}

function silentLog(onError: (message: string) => void): Log {
  const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: onError, for: () => log }
  return log
}

export interface TurnFact {
  readonly sequence: number
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number
  readonly message: string
  readonly state: string
  readonly outcome: string | null
  readonly reason: string | null
  readonly detail: string | null
  readonly answer: string | null
  readonly contextReset: string | null
  readonly parentTurn: string | null
  readonly from: string
  readonly to: string
  readonly thread: string
}

interface UnderWay extends Pair {
  readonly id: string
  readonly sessionId: string
  readonly usedTools: 0 | 1
}

export function underWayIn(path: string): readonly UnderWay[] {
  const ledger = new Ledger(path)
  try {
    return ledger.underWay()
  } finally {
    ledger.close()
  }
}

/** The store as someone reads it from outside. */
export class Ledger {
  readonly #database: DatabaseSync
  readonly #turn
  readonly #started

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true })
    this.#turn = this.#database.prepare(
      'SELECT message FROM turns WHERE id = ? OR id = (SELECT turn FROM later_deliveries WHERE uuid = ?)',
    )
    this.#started = this.#database.prepare('SELECT 1 FROM tool_starts WHERE delivery = ? AND tool_use_id = ?')
  }

  /** The message of a turn, by its id or that of one of its deliveries. */
  messageOf(id: string): string | undefined {
    return this.#turn.get(id, id)?.['message'] as string | undefined
  }

  knowsStart(delivery: string, toolUseId: string): boolean {
    return this.#started.get(delivery, toolUseId) !== undefined
  }

  all(sql: string): Record<string, unknown>[] {
    return this.#database.prepare(sql).all()
  }

  turns(): TurnFact[] {
    return this.all(
      `SELECT sequence, turns.id, accepted_at AS acceptedAt, message, state, outcome, reason, detail, answer, context_reset AS contextReset,
         parent_turn AS parentTurn, from_team AS "from", to_team AS "to", thread
       FROM turns JOIN team_sessions ON team_sessions.id = turns.session ORDER BY sequence`,
    ) as unknown as TurnFact[]
  }

  /** What agents said by themselves, with the message after which they did. */
  reports(): { readonly message: string; readonly text: string }[] {
    return this.all(
      `SELECT message, text FROM reports JOIN turns ON turns.id = turn WHERE kind = 'said' ORDER BY reports.sequence`,
    ) as { message: string; text: string }[]
  }

  /** Those that have been given to Claude and have not ended. */
  underWay(): UnderWay[] {
    return this.all(
      `SELECT turns.id, session_id AS sessionId, from_team AS "from", to_team AS "to", thread,
         EXISTS (SELECT 1 FROM tool_starts WHERE turn = turns.id) AS usedTools FROM turns JOIN team_sessions ON team_sessions.id = turns.session
       WHERE state <> 'settled'`,
    ) as unknown as UnderWay[]
  }

  close(): void {
    this.#database.close()
  }
}
