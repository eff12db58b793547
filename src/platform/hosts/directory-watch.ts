import { type Clock, pause } from '../../base/lib/clock.ts'
import { LineSplitter } from '../../base/lib/line-splitter.ts'
import type { HostChannel } from './host.ts'

/** Seconds between two checks on the machine itself. If nothing has changed, only a dot is sent over the connection. */
const lookSeconds = 2
const firstPauseMs = 1000
const maxPauseMs = 60_000
const maxNames = 10_000
const mostLineBytes = 4096

export interface DirectoryWatchParts {
  readonly open: () => Promise<HostChannel>
  readonly clock: Clock
  /** Shell words that name the directory there. */
  readonly directory: string
}

/**
 * Reports which files of a directory on another machine appear, change or disappear. A shell there compares checksums,
 * and sends the whole list of files when it differs from the previous one. After a lost connection, another shell sends
 * the list again, so changes made in the meantime are reported then.
 */
export class DirectoryWatch {
  readonly #parts: DirectoryWatchParts
  readonly #listeners = new Set<(name: string) => void>()
  #seen: ReadonlyMap<string, string> = new Map()
  #ending: AbortController | undefined

  constructor(parts: DirectoryWatchParts) {
    this.#parts = parts
  }

  /**
   * Reports each file that appears, changes or disappears from now on. Existing files may or may not be reported, so a
   * subscriber that needs them reads the directory. Returns a function that ends the subscription.
   */
  subscribe(onChange: (name: string) => void): () => void {
    this.#listeners.add(onChange)
    if (this.#ending === undefined) {
      this.#ending = new AbortController()
      void this.#watch(this.#ending.signal)
    }
    return () => {
      this.#listeners.delete(onChange)
      if (this.#listeners.size > 0) return
      this.#ending?.abort()
      this.#ending = undefined
      this.#seen = new Map()
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock, open } = this.#parts
    for (let waitMs = firstPauseMs; !signal.aborted; waitMs = Math.min(waitMs * 2, maxPauseMs)) {
      const channel = await open().catch(() => undefined)
      if (channel !== undefined) {
        waitMs = firstPauseMs
        await this.#follow(channel, signal)
      }
      await pause(clock, waitMs, signal)
    }
  }

  async #follow(channel: HostChannel, signal: AbortSignal): Promise<void> {
    let now = new Map<string, string>()
    const lines = new LineSplitter({
      maxLineBytes: mostLineBytes,
      onLine: (line) => {
        const name = line.slice(line.lastIndexOf('/') + 1)
        if (line === '=') {
          this.#compare(now)
          now = new Map()
        } else if (line !== '.' && now.size < maxNames) now.set(name, line)
      },
      onOversize: () => {},
    })
    const end = (): void => void channel.stop('now')
    channel.read((chunk) => {
      lines.push(chunk)
      return undefined
    })
    if (signal.aborted) end()
    signal.addEventListener('abort', end)
    channel.write(scriptFor(this.#parts.directory)).catch(() => {})
    await channel.exited
    signal.removeEventListener('abort', end)
  }

  #compare(now: ReadonlyMap<string, string>): void {
    const names = new Set([...this.#seen.keys(), ...now.keys()])
    const changed = [...names].filter((name) => this.#seen.get(name) !== now.get(name))
    this.#seen = now
    for (const name of changed) for (const tell of this.#listeners) tell(name)
  }
}

/** Prints a dot if nothing has changed: once nobody reads any more, the write fails and ends the loop. */
function scriptFor(directory: string): string {
  const look = `{ umask 077; mkdir -p ${directory}; cd ${directory} && cksum ./*; } 2>/dev/null`
  const loop = `now=$( ${look} ); if [ "$now" = "$before" ]; then echo .; else before=$now; printf '%s\\n=\\n' "$now"; fi`
  return `before=-; while ${loop} && sleep ${lookSeconds}; do :; done; exit\n`
}
