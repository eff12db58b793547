import { type FSWatcher, mkdirSync, statSync, watch } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../lib/is-record.ts'

/** A living CLI process as it registers itself, headless or in a terminal; /clear and /branch change its `sessionId`. */
export interface RegistryEntry {
  readonly pid: number
  readonly sessionId: string
  /** When the process started, as `lives` takes it. */
  readonly procStart: string | undefined
  /** The same in milliseconds since the epoch. */
  readonly startedAt: number
}

/** `<config directory>/sessions/`, where the CLI keeps one `<pid>.json` for each of its living processes. */
export class Registry {
  readonly configDirectory: string
  readonly #directory: string
  readonly #onChange: (pid: number) => void
  #watcher: FSWatcher | undefined
  #inode: number | undefined

  /** `onChange` is told whose file came, went, or was written. */
  constructor(configDirectory: string, onChange: (pid: number) => void) {
    this.configDirectory = configDirectory
    this.#directory = join(configDirectory, 'sessions')
    this.#onChange = onChange
  }

  /** Watches from now on, if it does not yet, or if the directory is another one now; makes it as the CLI would. */
  watch(): void {
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      const { ino } = statSync(this.#directory)
      if (this.#watcher !== undefined && ino === this.#inode) return
      this.close()
      this.#watcher = watch(this.#directory, { persistent: false }, (_event, name) => {
        const pid = pidOf(name ?? '')
        if (pid !== undefined) this.#onChange(pid)
      }).on('error', () => this.close())
      this.#inode = ino
    } catch {
      // A directory that cannot be watched is still read before each start.
    }
  }

  async pids(): Promise<number[]> {
    const names = await readdir(this.#directory).catch(() => [])
    return names.map(pidOf).filter((pid) => pid !== undefined)
  }

  /** Undefined while there is no such file, or half of one. */
  async entry(pid: number): Promise<RegistryEntry | undefined> {
    try {
      const entry: unknown = JSON.parse(await readFile(join(this.#directory, `${pid}.json`), 'utf8'))
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
    this.#watcher?.close()
    this.#watcher = undefined
  }
}

/** Undefined for files that say something else, the keys of the CLI's own inbox among them. */
function pidOf(fileName: string): number | undefined {
  const digits = /^(\d+)\.json$/.exec(fileName)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
