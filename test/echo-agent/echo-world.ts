import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Checkpoint } from '../../src/kernel/recover/parts.ts'
import type { Seams } from '../../src/kernel/session/seams.ts'
import type { Ask } from '../../src/kernel/turn/ask.ts'
import type { TurnEnd } from '../../src/kernel/turn/turn.ts'
import type { Config, SettingsConfig } from '../../src/platform/config/config.ts'
import { loadConfig } from '../../src/platform/config/load.ts'
import { idMaker, picker } from '../property/random.ts'
import { Life, Time } from '../property/time.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { EchoAgent, type Moment } from './echo-agent.ts'
import { EchoKernel } from './echo-kernel.ts'

const hourMs = 3_600_000

/** An echo agent and the kernels that one after the other lead it, in virtual time. */
export class EchoWorld implements Disposable {
  readonly time = new Time(picker(0))
  readonly agent = new EchoAgent(this.time.clock(new Life()))
  /** What only a fault logs. */
  readonly errors: string[] = []
  readonly #scratch: ReturnType<typeof scratchDirectory>
  readonly #config: Config
  readonly #fillSeams: ((seams: Seams) => void) | undefined
  readonly #newId = idMaker(1)
  readonly #lives: EchoKernel[] = []
  #stores = 0
  #crashAt: Checkpoint | undefined
  #crashing: Promise<void> | undefined
  #failsAt: Checkpoint | undefined

  /** The teams `a` and `b`. */
  static async open(settings: Partial<SettingsConfig> = {}, fillSeams?: (seams: Seams) => void): Promise<EchoWorld> {
    const scratch = scratchDirectory()
    const home = join(scratch.path, 'iris')
    mkdirSync(home)
    const teams = ['a', 'b'].map((team) => {
      mkdirSync(join(scratch.path, team))
      return `  ${team}:\n    path: ${join(scratch.path, team)}\n`
    })
    writeFileSync(join(home, 'config.yaml'), `teams:\n${teams.join('')}`, { mode: 0o600 })
    const config = await loadConfig({ home, env: { HOME: scratch.path, PATH: '' } })
    return new EchoWorld(scratch, { ...config, settings: { ...config.settings, ...settings } }, fillSeams)
  }

  private constructor(
    scratch: ReturnType<typeof scratchDirectory>,
    config: Config,
    fillSeams: ((seams: Seams) => void) | undefined,
  ) {
    this.#fillSeams = fillSeams
    this.#scratch = scratch
    this.#config = config
    this.#start(this.#newStore())
  }

  get kernel(): EchoKernel {
    return this.#lives.at(-1)!
  }

  /** Returns the id of the turn. From nobody's turn, without a wait. */
  ask(message: string, more: Partial<Ask> = {}): string {
    const pair = { from: 'a', to: 'b', thread: 'main' }
    return this.kernel.orchestrator.ask({
      pair,
      message,
      waits: false,
      idempotencyKey: undefined,
      parent: undefined,
      ...more,
    })
  }

  sessionId(turnId: string): string {
    const { orchestrator, sessions } = this.kernel
    return sessions.rowOf(orchestrator.rowOf(turnId)!.session).sessionId
  }

  /** Until the turn has ended. */
  async ended(turnId: string): Promise<Pick<TurnEnd, 'outcome' | 'reason' | 'answer' | 'detail'>> {
    const row = () => this.kernel.orchestrator.rowOf(turnId)
    if (!(await this.time.pass(hourMs, () => row()?.state === 'settled'))) throw new Error(`${turnId} does not end`)
    const { outcome, reason, answer, detail } = row()!
    return { outcome: outcome!, reason, answer, detail }
  }

  /** Until the agent stands still at the `count`-th such moment. */
  async stoppedAt(moment: Moment, count = 1): Promise<void> {
    this.agent.stopAt(moment, count)
    if (!(await this.time.pass(hourMs, () => this.agent.isHeld))) throw new Error(`the agent never reaches ${moment}`)
  }

  /** Iris and its agents die; `meanwhile` something happens to what they left; then Iris starts again. */
  async crash(meanwhile: () => void = () => {}): Promise<void> {
    const store = this.#newStore()
    this.kernel.crash(store)
    this.agent.killAll()
    await this.time.settle()
    meanwhile()
    this.#start(store)
  }

  /** The next time that the kernel gets there, everything dies, and Iris starts again. */
  crashAt(checkpoint: Checkpoint): void {
    this.#crashAt = checkpoint
  }

  /** From now on what follows the kernel's getting there throws. */
  failAt(checkpoint: Checkpoint): void {
    this.#failsAt = checkpoint
  }

  /** Until that has happened. */
  async crashed(): Promise<void> {
    if (!(await this.time.pass(hourMs, () => this.#crashing !== undefined))) throw new Error('nothing crashes')
    await this.#crashing
  }

  #reached(checkpoint: Checkpoint): void {
    if (this.#failsAt === checkpoint) throw new Error(`${checkpoint} fails`)
    if (this.#crashAt !== checkpoint) return
    this.#crashAt = undefined
    this.#crashing = this.crash()
  }

  [Symbol.dispose](): void {
    for (const kernel of this.#lives) kernel.close()
    this.#scratch[Symbol.dispose]()
  }

  #newStore(): string {
    this.#stores += 1
    return join(this.#scratch.path, `store-${this.#stores}.db`)
  }

  #start(storePath: string): void {
    const { time, agent } = this
    const onError = (message: string): void => void this.errors.push(message)
    const at = (checkpoint: Checkpoint): void => this.#reached(checkpoint)
    const made = { config: this.#config, storePath, newId: this.#newId, onError, at }
    this.#lives.push(new EchoKernel({ time, agent, ...made, ...(this.#fillSeams && { fillSeams: this.#fillSeams }) }))
  }
}
