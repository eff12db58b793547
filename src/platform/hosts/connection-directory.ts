import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '../../base/lib/sha256.ts'

/** The longest path of a socket, in bytes: macOS allows 104, and ssh appends 17 while it creates a socket. */
const longest = 80

const prefix = 'iris-ssh-'
/** A file that names the daemon that made the directory, by its process id and start time. */
const ownerFile = 'owner'

/** A directory for the sockets of ssh's shared connections: this daemon's own, mode 0700, with a short name. */
export class ConnectionDirectory {
  #path: string | undefined

  get isMade(): boolean {
    return this.#path !== undefined
  }

  /** Path of the socket that receives connections through a machine's tunnel. */
  tunnelFor(key: string): string {
    return `${this.socketFor(key)}-t`
  }

  socketFor(key: string): string {
    this.#path ??= made()
    return join(this.#path, sha256(key).slice(0, 8))
  }

  /** Removes directories of daemons that were killed. Their connections end by themselves once nothing uses them. */
  sweep(): void {
    for (const name of namesIn(parent())) {
      if (!name.startsWith(prefix)) continue
      const path = join(parent(), name)
      const owner = textOf(join(path, ownerFile))
      if (owner !== undefined && owner !== ownerOf(Number.parseInt(owner, 10))) {
        rmSync(path, { recursive: true, force: true })
      }
    }
  }

  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true })
    this.#path = undefined
  }
}

function parent(): string {
  return Buffer.byteLength(tmpdir()) > longest - 30 ? '/tmp' : tmpdir()
}

function made(): string {
  const path = mkdtempSync(join(parent(), prefix))
  writeFileSync(join(path, ownerFile), ownerOf(process.pid) ?? '')
  return path
}

/** A process id with its start time, if /proc has that; undefined if the process has ended. */
function ownerOf(pid: number): string | undefined {
  const stat = textOf(`/proc/${pid}/stat`)
  if (stat !== undefined) return `${pid} ${stat.slice(stat.lastIndexOf(')')).split(' ')[20]}`
  try {
    process.kill(pid, 0)
    return `${pid}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? `${pid}` : undefined
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
