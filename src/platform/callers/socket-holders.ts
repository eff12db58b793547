import { readdirSync, readlinkSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** How many recent callers to remember: they are likely to call again, over new connections. */
const recentKept = 4
/** The walk yields after this many links, about 2 ms of work, so that other work can run. */
const linksAtOnce = 250

/** A process and one of its open files. */
export interface Holder {
  readonly pid: number
  /** `/proc/<pid>/fd/<number>` */
  readonly file: string
}

/** Finds the processes that have sockets open. Linux only. */
export class SocketHolders {
  readonly #recent: number[] = []

  /**
   * Maps socket inodes to their processes, in one walk over all processes that ends once every socket has been found.
   * Likely processes come first: recent callers, then the newest processes. Reading a link of /proc never blocks, so it
   * is synchronous.
   */
  async of(inodes: Iterable<string>): Promise<ReadonlyMap<string, Holder>> {
    const wanted = new Map(Array.from(inodes, (inode) => [linkTo(inode), inode]))
    const found = new Map<string, Holder>()
    if (wanted.size === 0) return found
    let links = 0
    for (const pid of this.#likelyFirst()) {
      // A new connection is likely to have a high descriptor.
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
      // Checked before the generator continues, because continuing may list all processes.
      if (wanted.size === 0) break
      if (links < linksAtOnce) continue
      links = 0
      await nextTurn()
    }
    return found
  }

  /** Recent callers, then all processes, which are listed only if needed; recent callers occur twice. */
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

/** Whether the process still has this socket open under the same descriptor. */
export function holds({ file }: Holder, inode: string): boolean {
  return target(file) === linkTo(inode)
}

function linkTo(inode: string): string {
  return `socket:[${inode}]`
}

/** The open files of a process; empty if it has exited or belongs to another user. */
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
