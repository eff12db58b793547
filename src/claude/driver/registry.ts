import { isRecord } from '../../base/lib/is-record.ts'
import type { FileTree, Processes } from '../../platform/machine/machine.ts'

/** A living CLI process as it registers itself, headless or in a terminal; /clear and /branch change its `sessionId`. */
export interface RegistryEntry {
  readonly pid: number
  readonly sessionId: string
  /** When the process started, as `lives` takes it. */
  readonly procStart: string | undefined
  /** The same in milliseconds since the epoch. */
  readonly startedAt: number
}

const sessions = 'sessions'
/** The CLI's own have some 300 bytes. */
const mostBytes = 64 * 1024

/**
 * `sessions/` in the CLI's directory, where it keeps one `<pid>.json` for each of its living processes. Agents can write there:
 * what an entry says counts only as far as a living process bears it out.
 */
export class Registry {
  readonly claude: FileTree
  /** Of the same computer. */
  readonly processes: Processes
  readonly #onChange: (pid: number) => void
  #unwatch: (() => void) | undefined
  #closed = false

  /** `onChange` is told whose file came, went, or was written. */
  constructor(claude: FileTree, processes: Processes, onChange: (pid: number) => void) {
    this.claude = claude
    this.processes = processes
    this.#onChange = onChange
  }

  /** Watches from now on, also when the directory is another one than before; makes it as the CLI would. */
  async watch(): Promise<void> {
    const unwatch = await this.claude
      .watch([sessions], (name) => {
        for (const pid of pidOf(name) ?? []) this.#onChange(pid)
      })
      // A directory that cannot be watched is still read before each start.
      .catch(() => undefined)
    this.#unwatch?.()
    this.#unwatch = unwatch
    if (this.#closed) unwatch?.()
  }

  async pids(): Promise<number[]> {
    const pids: number[] = []
    try {
      for await (const name of this.claude.list([sessions])) pids.push(...(pidOf(name) ?? []))
    } catch {
      // It is no directory, or a link: nobody whom Iris could know is there.
    }
    return pids
  }

  /** Undefined while there is no such file, or half of one. */
  async entry(pid: number): Promise<RegistryEntry | undefined> {
    try {
      const file = await this.claude.find([sessions, `${pid}.json`])
      if (file === undefined || file.size > mostBytes) return undefined
      const entry: unknown = JSON.parse((await this.claude.read(file, 0, mostBytes)).toString('utf8'))
      if (!isRecord(entry) || typeof entry['sessionId'] !== 'string') return undefined
      const { sessionId, procStart, startedAt } = entry
      return {
        pid,
        sessionId,
        procStart: typeof procStart === 'string' ? procStart : undefined,
        startedAt: Number(startedAt) || 0,
      }
    } catch {
      return undefined
    }
  }

  close(): void {
    this.#closed = true
    this.#unwatch?.()
  }
}

/** None for files that say something else, the keys of the CLI's own inbox among them. */
function pidOf(fileName: string): [number] | undefined {
  const digits = /^(\d+)\.json$/.exec(fileName)?.[1]
  return digits === undefined ? undefined : [Number(digits)]
}
