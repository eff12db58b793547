import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { networkOf, ownNetwork } from './own-network.ts'
import { type Program, programOf } from './program-of.ts'

export interface Start {
  readonly program: Program
  /** The process of the test run from which it descends; undefined where that one's ends were too quick to see. */
  readonly worker: number | undefined
}

interface Seen {
  readonly parent: number
  readonly worker: number | undefined
  isCounted: boolean
  /** How often it was looked at: a process becomes another program when it executes one. */
  looks: number
}

/** Looks so often at the arguments of a process: for two seconds. */
const maxLooks = 10

/**
 * Finds out which programs the tests start, without their help: it looks at /proc for new processes and follows the parents of
 * each to a process of the test run, a child of this one. It knows whose a process is even after its parent has ended.
 */
export class ProcessSampler {
  readonly #seen = new Map<number, Seen>()
  /** The tests' own network namespace: a process in there whose parents are unknown is theirs as well. */
  readonly #ownNetwork = ownNetwork()

  constructor() {
    for (const pid of this.#pids()) this.#seen.set(pid, { parent: 0, worker: undefined, isCounted: true, looks: 0 })
  }

  /** The programs that were started since it looked last. */
  look(): readonly Start[] {
    const pids = this.#pids()
    const live = new Set(pids)
    for (const pid of this.#seen.keys()) if (!live.has(pid)) this.#seen.delete(pid)
    return pids.flatMap((pid) => this.#startOf(pid) ?? [])
  }

  /** The live processes that descend from one of the test run. */
  startedBy(worker: number): readonly number[] {
    return [...this.#seen].flatMap(([pid, seen]) => (pid !== worker && seen.worker === worker ? [pid] : []))
  }

  argumentsOf(pid: number): readonly string[] {
    return this.#read(pid, 'cmdline').split('\0').slice(0, -1)
  }

  #startOf(pid: number): Start | undefined {
    const seen = this.#seen.get(pid) ?? this.#meet(pid)
    if (seen.isCounted || seen.looks >= maxLooks) return undefined
    seen.looks += 1
    const args = this.argumentsOf(pid)
    const program = programOf(args, this.#link(pid, 'exe'))
    // Until it executes its own program, a process has the arguments of its parent.
    if (program === undefined || args.join('\0') === this.argumentsOf(seen.parent).join('\0')) return undefined
    seen.isCounted = true
    const isTheirs = seen.worker !== undefined || (this.#ownNetwork && networkOf(pid) === this.#ownNetwork)
    return isTheirs ? { program, worker: seen.worker } : undefined
  }

  #meet(pid: number): Seen {
    const stat = this.#read(pid, 'stat')
    // The name of the program may hold spaces; the parent is the second field after it.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    const seen = { parent, worker: this.#workerOf(pid, parent), isCounted: false, looks: 0 }
    this.#seen.set(pid, seen)
    return seen
  }

  #workerOf(pid: number, parent: number): number | undefined {
    if (parent === process.pid) return pid
    if (!(parent > 1)) return undefined
    return (this.#seen.get(parent) ?? this.#meet(parent)).worker
  }

  #pids(): number[] {
    try {
      return readdirSync('/proc').map(Number).filter(Number.isInteger)
    } catch {
      return []
    }
  }

  /** Empty for a process that has ended meanwhile. */
  #read(pid: number, name: string): string {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8')
    } catch {
      return ''
    }
  }

  #link(pid: number, name: string): string {
    try {
      return readlinkSync(`/proc/${pid}/${name}`)
    } catch {
      return ''
    }
  }
}
