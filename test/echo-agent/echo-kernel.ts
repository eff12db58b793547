import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { IrisEvent } from '../../src/base/protocol/event.ts'
import { TranscriptFiles } from '../../src/claude/transcript/transcript-files.ts'
import { Orchestrator } from '../../src/kernel/accept/orchestrator.ts'
import { Pool } from '../../src/kernel/pool/pool.ts'
import { beforeTool } from '../../src/kernel/recover/fence.ts'
import type { Checkpoint } from '../../src/kernel/recover/parts.ts'
import { openSeams, type Seams } from '../../src/kernel/session/seams.ts'
import type { Session } from '../../src/kernel/session/session.ts'
import { Sessions } from '../../src/kernel/session/sessions.ts'
import { Ends } from '../../src/kernel/turn/ends.ts'
import type { Config } from '../../src/platform/config/config.ts'
import { Compactions } from '../../src/platform/store/compactions.ts'
import { openDatabase } from '../../src/platform/store/database.ts'
import { Ledger } from '../../src/platform/store/ledger.ts'
import { Notices } from '../../src/platform/store/notices.ts'
import { SessionRows } from '../../src/platform/store/sessions.ts'
import type { Store } from '../../src/platform/store/store.ts'
import { TreeRows } from '../../src/platform/store/trees.ts'
import { Life, type Time } from '../property/time.ts'
import type { EchoAgent } from './echo-agent.ts'
import { hostWith, logOf, noMachine } from './kernel-parts.ts'

export interface KernelParts {
  readonly time: Time
  readonly agent: EchoAgent
  readonly config: Config
  readonly storePath: string
  readonly newId: () => string
  readonly onError: (message: string) => void
  readonly at?: (checkpoint: Checkpoint) => void
  /** Fills seams before turns are loaded. */
  readonly fillSeams?: (seams: Seams) => void
}

/** One life of the kernel without any feature, with an echo agent in place of Claude Code. */
export class EchoKernel {
  readonly life = new Life()
  readonly orchestrator: Orchestrator
  readonly pool: Pool
  readonly sessions: Sessions
  readonly ledger: Ledger
  readonly events: IrisEvent[] = []
  readonly #store: Store
  readonly #storePath: string

  constructor({ time, agent, config, storePath, newId, onError, at = () => {}, fillSeams }: KernelParts) {
    const clock = time.clock(this.life)
    const log = logOf((message) => {
      if (!this.life.hasEnded) onError(message)
    })
    const publish = (event: IrisEvent): void => {
      if (!this.life.hasEnded) this.events.push(event)
    }
    this.#storePath = storePath
    this.#store = openDatabase(storePath)
    // In no time: virtual time must not continue while a disk is waited for.
    this.#store.syncWith(async () => {})
    this.ledger = new Ledger(this.#store)
    const { ledger } = this
    const shared = { config: () => config, clock, log, publish, newId, ledger, seams: openSeams() }
    fillSeams?.(shared.seams)
    this.sessions = new Sessions({ ...shared, rows: new SessionRows(this.#store) })
    const secrets = { hideInText: (text: string) => text }
    const hostFor = (session: Session) =>
      hostWith((start) =>
        this.life.hasEnded ? 'its Iris has ended' : beforeTool(session, start, { ...shared, secrets }),
      )
    const led = agent.of({ life: this.life, hostFor })
    this.pool = new Pool({
      ...shared,
      launch: (session, retries) => led.launch(session, retries),
      takeUp: (session, message, signal) => led.takeUp(session, message, signal),
      random: () => 0,
      directoryOf: async () => undefined,
      loginHolds: async () => true,
      mirror: () => {},
      unsolicited: { ended: () => {}, cutOff: () => {} },
    })
    this.orchestrator = new Orchestrator({
      ...shared,
      evidence: led.evidence,
      trees: new TreeRows(this.#store),
      notices: new Notices(this.#store),
      compactions: new Compactions(this.#store),
      ends: new Ends({ ledger, clock, log }),
      sessions: this.sessions,
      pool: this.pool,
      launcher: noMachine,
      transcripts: new TranscriptFiles({ directory: join(config.home, 'output'), clock, onTrouble: () => {} }),
      spillDirectory: join(config.home, 'turns'),
      at: (checkpoint) => {
        if (!this.life.hasEnded) at(checkpoint)
      },
    })
    this.orchestrator.load()
    this.orchestrator.begin()
  }

  /** Ends this life as a crash does: nothing of it continues. `copy` gets the store as it was then. */
  crash(copy: string): void {
    this.life.end()
    for (const suffix of ['', '-wal']) {
      if (existsSync(this.#storePath + suffix)) copyFileSync(this.#storePath + suffix, copy + suffix)
    }
  }

  /** From now on the store takes no start of a tool. */
  breakToolStarts(): void {
    this.#store.exec(`CREATE TRIGGER broken BEFORE INSERT ON tool_starts BEGIN SELECT RAISE(ABORT, 'broken'); END`)
  }

  /** Once nothing of it can continue. */
  close(): void {
    this.life.end()
    this.#store.close()
  }
}
