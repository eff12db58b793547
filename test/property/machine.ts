import { existsSync } from 'node:fs'
import type { Command } from '../../src/platform/machine/child.ts'
import { findExecutable } from '../../src/platform/machine/find-executable.ts'
import type { System } from '../../src/platform/machine/machine.ts'
import { programVersion } from '../../src/platform/machine/program-version.ts'
import type { OracleEntry } from '../fake-claude/oracle-event.ts'
import type { AgentMind } from './agent.ts'
import { idMaker } from './random.ts'
import { SimulatedChild } from './simulated-child.ts'
import { SimulatedProcess } from './simulated-process.ts'
import type { Life, Time } from './time.ts'

export interface MachineParts {
  readonly time: Time
  readonly mind: AgentMind
  /** How late a transcript is written, milliseconds. */
  readonly flushDelayMs: number
  /** Of the model, tokens. */
  readonly contextWindow: number
  /** Called for each thing that goes through a pipe, either way, before it does. */
  readonly onTraffic: () => void
  readonly onEvent: (entry: OracleEntry, process: SimulatedProcess) => void
  /** A process is about to die on its own. */
  readonly onDying: (process: SimulatedProcess) => void
}

/** How the processes of a daemon that died learn of it; a power cut ends them with it. */
export type Orphaning = 'SIGTERM' | 'SIGKILL' | 'stdin' | 'power cut'

/** Every process that runs, whichever daemon started it. */
export class Machine {
  readonly #parts: MachineParts
  readonly #newId = idMaker(0xfa)
  readonly processes = new Set<SimulatedProcess>()
  readonly oracle: OracleEntry[] = []
  #pids = 1000
  #deaths: number[] = []

  constructor(parts: MachineParts) {
    this.#parts = parts
  }

  /** The next ones to be started are killed after so many milliseconds each. */
  killStarts(afterMs: readonly number[]): void {
    this.#deaths.push(...afterMs)
  }

  /** As the daemon sees it that lives this life. */
  system(daemon: Life): System {
    const lacks = 'nothing is real'
    const alive = (pid: number) => [...this.processes].some((process) => process.pid === pid && process.isAlive)
    return {
      findExecutable,
      programVersion,
      isolationMeans: async () => ({ hiding: { lacks }, sandbox: { lacks } }),
      processes: {
        lives: async (pid) => alive(pid),
        isTagged: async (pid) => alive(pid),
        residentBytes: async () => undefined,
        programsBelow: async () => [],
        sweep: (_tag, graceMs) =>
          new Promise<number>((resolve) => this.sweep(daemon, graceMs, () => resolve(this.processes.size))),
      },
      start: async (command) => {
        if (daemon.hasEnded) return new Promise(() => {})
        // Nothing reads the projects: what agents do in these months changes no file of theirs.
        if (!command.args.includes('--print')) throw new Error('no program but claude starts here')
        if (!existsSync(command.cwd)) throw new Error(`spawn ENOENT ${command.cwd}`)
        return new SimulatedChild(this.#start(command, daemon), daemon, this.#parts.time)
      },
    }
  }

  orphan(daemon: Life, how: Orphaning): void {
    for (const process of this.#startedBy(daemon)) {
      if (how === 'stdin') process.endInput()
      else if (how === 'SIGKILL' || how === 'power cut') process.kill()
      else process.signal(how)
    }
  }

  /** Ends what a dead daemon left, as src/platform/machine/local-processes.ts does; `onGone` is called once, when none is left. */
  sweep(daemon: Life, graceMs: number, onGone: () => void): void {
    const { time } = this.#parts
    const left = [...this.processes]
    const look = (hard: boolean): void => {
      for (const process of left) if (process.isAlive) process.signal(hard ? 'SIGKILL' : 'SIGTERM')
    }
    const clock = time.clock(daemon)
    const wait = (ms: number): void => {
      if (left.every((process) => !process.isAlive)) return onGone()
      if (ms >= graceMs) look(true)
      clock.after(20, () => wait(ms + 20))
    }
    look(false)
    wait(0)
  }

  #startedBy(daemon: Life): SimulatedProcess[] {
    return [...this.processes].filter((process) => process.daemon === daemon)
  }

  #start(command: Command, daemon: Life): SimulatedProcess {
    const { time, mind, flushDelayMs, contextWindow, onTraffic, onEvent, onDying } = this.#parts
    this.#pids += 1
    const process: SimulatedProcess = new SimulatedProcess({
      pid: this.#pids,
      command,
      daemon,
      time,
      mind,
      flushDelayMs,
      contextWindow,
      onTraffic,
      newId: this.#newId,
      onEvent: (entry) => {
        this.oracle.push(entry)
        onEvent(entry, process)
      },
      onDying: () => onDying(process),
      onGone: () => this.processes.delete(process),
    })
    this.processes.add(process)
    process.begin()
    const death = this.#deaths.shift()
    if (death !== undefined) time.clock(daemon).after(death, () => process.isAlive && process.kill())
    return process
  }
}
