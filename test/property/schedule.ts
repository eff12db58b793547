import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { loadConfig } from '../../src/platform/config/load.ts'
import { programVersion } from '../../src/platform/machine/program-version.ts'
import { openDatabase } from '../../src/platform/store/database.ts'
import { type Command, command, run } from './commands.ts'
import { breaches } from './invariants.ts'
import { promptFiles } from './prompt-files.ts'
import { teams } from './question.ts'
import { Simulation } from './simulation.ts'
import type { SimulationOptions } from './simulation-options.ts'

/** Everything that decides how months go by: the same schedule is the same months. */
export interface Schedule {
  /** Decides what comes first of what could happen in one moment. */
  readonly seed: number
  readonly flushDelayMs: number
  readonly contextWindow: number
  readonly maxProcesses: number
  readonly commands: readonly Command[]
  /** See `SimulationOptions`. */
  readonly leftOut?: ReadonlySet<string>
}

export const schedule: fc.Arbitrary<Schedule> = fc.record({
  seed: fc.nat(),
  flushDelayMs: fc.constantFrom(0, 100),
  contextWindow: fc.constantFrom(200_000, 200_000, 200_000, 120),
  maxProcesses: fc.integer({ min: 1, max: 4 }),
  commands: fc.array(command, { minLength: 1, maxLength: 25, size: 'max' }),
})

export interface Played {
  readonly breaches: readonly string[]
  /** What happened, in order: equal for equal schedules. */
  readonly story: string
  /** How often what happened: turns by their outcome, deliveries, processes, tools. */
  readonly tally: Readonly<Record<string, number>>
}

/** A place for schedules to be played in, one after the other. */
export class Theatre implements Disposable {
  readonly #root: string
  readonly #env: Readonly<Record<string, string>>
  readonly #cancelTimer: () => void
  readonly #config
  #stores = 0
  #plays = 0

  static async open(): Promise<Theatre> {
    // In memory, where there is such a thing: the store waits for its disk at each commit.
    const root = realpathSync(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'iris-months-')))
    const home = join(root, 'iris')
    const env = { HOME: root, PATH: process.env['PATH'] ?? '' }
    mkdirSync(home)
    for (const team of teams) mkdirSync(join(root, 'projects', team), { recursive: true })
    const executable = fileURLToPath(new URL('../fake-claude/fake-claude', import.meta.url))
    const entries = teams.map(
      (team) =>
        `  ${team}:\n    path: ${join(root, 'projects', team)}\n    grantPermission: yes\n    dangerous: true\n`,
    )
    const text = `settings:\n  startsPerMinute: 10000\n  claudePath: ${executable}\nteams:\n${entries.join('')}`
    writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 })
    const config = await loadConfig({ home, env })
    openDatabase(join(root, 'empty.db')).close()
    // Asked once a file: from now on it is known.
    await programVersion(executable)
    return new Theatre(root, env, config)
  }

  private constructor(
    root: string,
    env: Readonly<Record<string, string>>,
    config: Awaited<ReturnType<typeof loadConfig>>,
  ) {
    this.#root = root
    this.#env = env
    this.#config = config
    this.#cancelTimer = promptFiles()
  }

  /** Iris in its own home, with an empty store, until it is disposed of. */
  simulation(about: Omit<SimulationOptions, 'base'>): Disposable & { readonly simulation: Simulation } {
    const stores: string[] = []
    const home = join(this.#root, `home-${++this.#plays}`)
    const newStore = (): string => {
      const path = storeIn(this.#root, ++this.#stores)
      stores.push(path)
      if (stores.length === 1) copyFileSync(join(this.#root, 'empty.db'), path)
      return path
    }
    const irisHome = join(home, 'iris')
    mkdirSync(irisHome, { recursive: true })
    const base = { config: { ...this.#config, home: irisHome }, env: { ...this.#env, HOME: home }, newStore }
    const simulation = new Simulation({ ...about, base })
    return {
      simulation,
      [Symbol.dispose]() {
        simulation.close()
        for (const path of stores) removeStore(path)
        rmSync(home, { recursive: true, force: true })
      },
    }
  }

  async play({ seed, flushDelayMs, contextWindow, maxProcesses, commands, leftOut }: Schedule): Promise<Played> {
    const settings = { maxProcesses, healthCheckInterval: 24 * 3_600_000, callsPerMinute: 1_000_000 }
    using stage = this.simulation({ seed, flushDelayMs, contextWindow, settings, ...(leftOut && { leftOut }) })
    const { simulation } = stage
    for (const each of commands) await run(each, simulation)
    await simulation.finish()
    return { breaches: breaches(simulation), story: story(simulation), tally: tally(simulation) }
  }

  [Symbol.dispose](): void {
    this.#cancelTimer()
    rmSync(this.#root, { recursive: true, force: true })
  }
}

function story({ machine, ledger, told }: Simulation): string {
  const calls = told.map(({ name, result, refusal }) => ({ name, result, refusal: refusal?.code }))
  const text = JSON.stringify({ oracle: machine.oracle, turns: ledger?.turns(), calls }, null, 1)
  // Errors of the store name its file, which is another one in each play.
  return text.replaceAll(/store-\d+\.db/g, 'store.db')
}

function tally({ machine, ledger, takenBack }: Simulation): Record<string, number> {
  const counts: Record<string, number> = {}
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  for (const _ of takenBack.keys()) count('end lost with the power')
  for (const { outcome, reason, contextReset } of ledger?.turns() ?? []) {
    count(reason === null ? String(outcome) : `${outcome} (${reason})`)
    if (contextReset !== null) count('context lost')
  }
  for (const { event } of machine.oracle) count(event)
  for (const { origin } of ledger?.all('SELECT origin FROM team_sessions') ?? []) count(`session: ${String(origin)}`)
  for (const { text } of ledger?.reports() ?? [])
    count(text.startsWith('looking') ? 'report before a message joined' : 'report')
  for (const _ of ledger?.all('SELECT 1 FROM compactions') ?? []) count('compaction')
  for (const _ of ledger?.all('SELECT 1 FROM notices WHERE turn IS NOT NULL') ?? []) count('notice delivered')
  for (const _ of ledger?.all('SELECT 1 FROM later_deliveries') ?? []) count('continued')
  return counts
}

function removeStore(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

function storeIn(directory: string, count: number): string {
  return join(directory, `store-${count}.db`)
}
