import { type FSWatcher, readlinkSync, type WatchListener, watch as watchPath } from 'node:fs'
import { dirname, isAbsolute, join, parse, sep } from 'node:path'
import type { Clock } from '../../base/lib/clock.ts'
import { homePaths } from './home.ts'

type WatchDirectory = (path: string, options: { persistent: false }, onEvent: WatchListener<string>) => FSWatcher

interface ConfigWatchParts {
  readonly home: string
  readonly clock: Clock
  /** Called when the configuration's files may have changed. */
  readonly onChange: () => void
  /** Called once for each directory that the system cannot watch. */
  readonly onTrouble: (directory: string, error: unknown) => void
  readonly watch?: WatchDirectory
}

/** How long a file must be unchanged to count as completely written, milliseconds. */
const settleMs = 200

/**
 * Reports when a file that `loadConfig` reads may have changed, however it is saved: in place, by renaming another file
 * over it, behind a link, in a directory that disappears and returns. Watches directories, because the watcher of a
 * file ends when the file is replaced.
 */
export class ConfigWatch {
  readonly #parts: ConfigWatchParts
  readonly #troubled = new Set<string>()
  #watched = new Map<string, Set<string>>()
  #watchers: FSWatcher[] = []
  #cancelTimer = (): void => {}
  #isSettling = false

  constructor(parts: ConfigWatchParts) {
    this.#parts = parts
    this.#watch()
  }

  /** Whether a file has changed but `onChange` has not been called yet. */
  get isSettling(): boolean {
    return this.#isSettling
  }

  end(): void {
    this.#cancelTimer()
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers = []
  }

  /** Changes are reported from this point on, so read the files only afterwards. */
  #watch(): void {
    const former = this.#watchers
    this.#watchers = []
    this.#watched = new Map()
    const { config, teamsJson } = homePaths(this.#parts.home)
    for (const path of [config, teamsJson]) {
      for (const { directory, name } of lookupsOf(path)) {
        const names = this.#watched.get(directory) ?? this.#watchDirectory(directory)
        names.add(name)
      }
    }
    for (const watcher of former) watcher.close()
  }

  #watchDirectory(directory: string): Set<string> {
    const names = new Set<string>()
    this.#watched.set(directory, names)
    try {
      const watch: WatchDirectory = this.#parts.watch ?? watchPath
      const watcher = watch(directory, { persistent: false }, (_event, name) => {
        if (name === null || names.has(name)) this.#changed()
      })
      watcher.on('error', (error) => this.#trouble(directory, error))
      this.#watchers.push(watcher)
    } catch (error) {
      this.#trouble(directory, error)
    }
    return names
  }

  #changed(): void {
    this.#cancelTimer()
    this.#isSettling = true
    this.#cancelTimer = this.#parts.clock.after(settleMs, () => {
      this.#isSettling = false
      this.#watch()
      this.#parts.onChange()
    })
  }

  #trouble(directory: string, error: unknown): void {
    // The directory has disappeared; the watcher of its parent directory reports when it returns.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || this.#troubled.has(directory)) return
    this.#troubled.add(directory)
    this.#parts.onTrouble(directory, error)
  }
}

/** A name that the system looks up in a directory to reach a file. `directory` is a real path. */
interface Lookup {
  readonly directory: string
  readonly name: string
}

/** The most links that Linux follows. */
const maxLinks = 40

/**
 * Every lookup that the system makes to resolve an absolute path, including links on the way: only a change at one of
 * these places can change the path's target. Ends at the first missing name. Yields each lookup before it reads the
 * disk.
 */
export function* lookupsOf(path: string): Generator<Lookup> {
  const rest = namesOf(path)
  let directory = parse(path).root
  let links = 0
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '..') {
      directory = dirname(directory)
      continue
    }
    yield { directory, name }
    const found = join(directory, name)
    const target = linkTarget(found)
    if (target === 'missing') return
    if (target === 'no link') directory = found
    else {
      links += 1
      if (links > maxLinks) return
      rest.unshift(...namesOf(target.path))
      if (isAbsolute(target.path)) directory = parse(target.path).root
    }
  }
}

function linkTarget(path: string): { readonly path: string } | 'no link' | 'missing' {
  try {
    return { path: readlinkSync(path) }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EINVAL' ? 'no link' : 'missing'
  }
}

function namesOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.')
}
