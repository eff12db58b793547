import { type FSWatcher, readlinkSync, type WatchListener, watch as watchPath } from 'node:fs'
import { dirname, isAbsolute, join, parse, sep } from 'node:path'
import type { Clock } from '../../base/lib/clock.ts'
import { homePaths } from './home.ts'

type WatchDirectory = (path: string, options: { persistent: false }, onEvent: WatchListener<string>) => FSWatcher

interface ConfigWatchParts {
  readonly home: string
  readonly clock: Clock
  /** The configuration's files may say something else now. */
  readonly onChange: () => void
  /** The system does not tell of changes in this directory; told once for each. */
  readonly onTrouble: (directory: string, error: unknown) => void
  readonly watch?: WatchDirectory
}

/** So long after the last change a file counts as written to its end. */
const settleMs = 200

/**
 * Tells when a file that `loadConfig` reads may have changed, however it is saved: in place, by renaming another one over
 * it, behind a link, in a directory that goes away and comes back. Watches directories: a file that is replaced would
 * take its watcher with it.
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

  /** A file has changed, and `onChange` follows. */
  get isSettling(): boolean {
    return this.#isSettling
  }

  end(): void {
    this.#cancelTimer()
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers = []
  }

  /** What comes after this is told, so the files are to be read after it. */
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
    // Gone in the meantime: the directory above it tells when it is back.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || this.#troubled.has(directory)) return
    this.#troubled.add(directory)
    this.#parts.onTrouble(directory, error)
  }
}

/** A name that is looked up in a directory, on the way to a file. `directory` is a real path. */
interface Lookup {
  readonly directory: string
  readonly name: string
}

/** As many links as Linux follows. */
const mostLinks = 40

/**
 * Every lookup by which the system finds an absolute path, links on the way included: only a change at one of them can
 * change what the path leads to. Ends where something is missing. Each is given before the disk is asked for it.
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
      if (links > mostLinks) return
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
