import { readdirSync, readlinkSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A process that has called once is likely to call again, over a new connection. */
const recentKept = 4
/** The walk pauses after this many links, some 2 ms of work, so that other work has its turn. */
const linksAtOnce = 250

/** A process with one of its open files. */
export interface Holder {
  readonly pid: number
  /** `/proc/<pid>/fd/<number>` */
  readonly file: string
}

/** Finds which processes have sockets open. Linux only. */
export class SocketHolders {
  readonly #recent: number[] = []

  /**
   * The process that holds each socket, by inode: one walk over all processes, which ends with the last socket found. The
   * likely processes come first: recent callers, then the newest. Reading a link of /proc never waits, so it is synchronous.
   */
  async of(inodes: Iterable<string>): Promise<ReadonlyMap<string, Holder>> {
    const wanted = new Map(Array.from(inodes, (inode) => [linkTo(inode), inode]))
    const found = new Map<string, Holder>()
    if (wanted.size === 0) return found
    let links = 0
    for (const pid of this.#likelyFirst()) {
      // A connection that was just made is likely to have a high number.
      for (const file of filesOf(pid).reverse()) {
        if (wanted.size === 0) break
        links += 1
        const link = target(file)
        const inode = wanted.get(link)
        if (inode === undefined) continue
        wanted.delete(link)
        found.set(inode, { pid, file })
        this.#remember(pid)
      }
      // Before the next process is asked for, which lists all of them.
      if (wanted.size === 0) break
      if (links < linksAtOnce) continue
      links = 0
      await nextTurn()
    }
    return found
  }

  /** All processes are listed only when no recent caller is it; these come twice. */
  *#likelyFirst(): Iterable<number> {
    yield* [...this.#recent]
    const living = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0)
    yield* living.toSorted((a, b) => b - a)
  }

  #remember(pid: number): void {
    if (this.#recent[0] === pid) return
    const others = this.#recent.filter((other) => other !== pid)
    this.#recent.splice(0, recentKept, pid, ...others.slice(0, recentKept - 1))
  }
}

/** Whether it still has this socket open there. */
export function holds({ file }: Holder, inode: string): boolean {
  return target(file) === linkTo(inode)
}

function linkTo(inode: string): string {
  return `socket:[${inode}]`
}

/** The files that a process has open; none when it has gone, or belongs to another user. */
function filesOf(pid: number): string[] {
  const directory = `/proc/${pid}/fd`
  try {
    return readdirSync(directory).map((file) => `${directory}/${file}`)
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
