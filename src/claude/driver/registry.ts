import { isRecord } from '../../base/lib/is-record.ts'
import type { FileTree, Processes } from '../../platform/machine/machine.ts'

/** How a running CLI registers itself, headless or in a terminal. /clear and /branch change its `sessionId`. */
export interface RegistryEntry {
  readonly pid: number
  readonly sessionId: string
  /** When the process started, in the form that `Processes.lives` takes. */
  readonly procStart: string | undefined
  /** When the process started, milliseconds since the epoch; 0 if the entry does not say. */
  readonly startedAt: number
  /** For a background session of Claude Code, the id for `claude stop`. */
  readonly job: string | undefined
}

const sessions = 'sessions'
/** Iris asks people to type the id into a shell, so it accepts no character that has a meaning there. */
const jobIdPattern = /^[0-9a-z]{1,32}$/
/** More than enough: an entry has about 300 bytes. */
const maxBytes = 64 * 1024

/**
 * The directory `sessions/` of the CLI, with a `<pid>.json` for each running CLI process. Agents can write there, so
 * Iris relies on an entry only as far as a running process confirms it.
 */
export class Registry {
  readonly claude: FileTree
  /** The processes of the same machine. */
  readonly processes: Processes
  readonly #onChange: (pid: number) => void
  #unwatch: (() => void) | undefined
  #closed = false

  /** `onChange` gets the pid of a file that was created, deleted or written. */
  constructor(claude: FileTree, processes: Processes, onChange: (pid: number) => void) {
    this.claude = claude
    this.processes = processes
    this.#onChange = onChange
  }

  /**
   * Starts the watch, or renews it, for example after the directory was replaced. Creates the directory as the CLI
   * would.
   */
  async watch(): Promise<void> {
    const unwatch = await this.claude
      .watch([sessions], (name) => {
        const pid = pidOf(name)
        if (pid !== undefined) this.#onChange(pid)
      })
      // Without a watch, Iris still reads the directory before each start.
      .catch(() => undefined)
    this.#unwatch?.()
    this.#unwatch = unwatch
    if (this.#closed) unwatch?.()
  }

  async pids(): Promise<number[]> {
    const pids: number[] = []
    try {
      for await (const name of this.claude.list([sessions])) {
        const pid = pidOf(name)
        if (pid !== undefined) pids.push(pid)
      }
    } catch {
      // The path is a link or not a directory, so Iris cannot trust its entries.
    }
    return pids
  }

  /** Undefined if the file is missing, incomplete or invalid. */
  async entry(pid: number): Promise<RegistryEntry | undefined> {
    try {
      const file = await this.claude.find([sessions, `${pid}.json`])
      if (file === undefined || file.size > maxBytes) return undefined
      const entry: unknown = JSON.parse((await this.claude.read(file, 0, maxBytes)).toString('utf8'))
      if (!isRecord(entry) || typeof entry['sessionId'] !== 'string') return undefined
      const { sessionId, procStart, startedAt, kind, jobId } = entry
      return {
        pid,
        sessionId,
        procStart: typeof procStart === 'string' ? procStart : undefined,
        startedAt: Number(startedAt) || 0,
        job: kind === 'bg' && typeof jobId === 'string' && jobIdPattern.test(jobId) ? jobId : undefined,
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

/** Undefined for other files, such as the keys of the CLI's own inbox. */
function pidOf(fileName: string): number | undefined {
  const digits = /^(\d+)\.json$/.exec(fileName)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
