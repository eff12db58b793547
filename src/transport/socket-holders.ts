import { readdirSync, readlinkSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A process that has called once is likely to call again, over a new connection. */
const recentKept = 16
/** The walk pauses after this many links, some 2 ms of work, so that other work has its turn. */
const linksAtOnce = 250

/** Finds which processes have sockets open. Linux only. */
export class SocketHolders {
  readonly #recent: number[] = []

  /**
   * The process that holds each socket, by inode: one walk over all processes, which ends with the last socket found. The
   * likely processes come first: recent callers, then the newest. Reading a link of /proc never waits, so it is synchronous.
   */
  async of(inodes: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const wanted = new Map(Array.from(inodes, (inode) => [linkTo(inode), inode]))
    const found = new Map<string, number>()
    let links = 0
    for (const pid of this.#likelyFirst()) {
      if (wanted.size === 0) break
      const files = openFilesOf(pid)
      for (const file of files) {
        const inode = wanted.get(file)
        if (inode === undefined) continue
        wanted.delete(file)
        found.set(inode, pid)
        this.#remember(pid)
      }
      links += files.length
      if (links < linksAtOnce) continue
      links = 0
      await nextTurn()
    }
    return found
  }

  /** A recent caller comes twice; it may have gone by now. */
  #likelyFirst(): number[] {
    const living = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0)
    return [...this.#recent, ...living.toSorted((a, b) => b - a)]
  }

  #remember(pid: number): void {
    if (this.#recent[0] === pid) return
    const others = this.#recent.filter((other) => other !== pid)
    this.#recent.splice(0, recentKept, pid, ...others.slice(0, recentKept - 1))
  }
}

/** Whether the process has this socket open. */
export function holds(pid: number, inode: string): boolean {
  return openFilesOf(pid).includes(linkTo(inode))
}

function linkTo(inode: string): string {
  return `socket:[${inode}]`
}

/** What the files of a process are; empty when it has gone, or belongs to another user. */
function openFilesOf(pid: number): string[] {
  const directory = `/proc/${pid}/fd`
  return namesIn(directory).map((file) => target(`${directory}/${file}`))
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function target(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
