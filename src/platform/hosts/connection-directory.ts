import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '../../base/lib/sha256.ts'

/** A socket's path holds 104 bytes on macOS, and ssh appends 17 while it makes one. */
const longest = 80

/** Where ssh keeps the socket of each shared connection: a directory of this daemon's own, mode 0700, with a short name. */
export class ConnectionDirectory {
  #path: string | undefined

  get isMade(): boolean {
    return this.#path !== undefined
  }

  /** Where what comes back from a machine through its tunnel is taken. */
  tunnelFor(key: string): string {
    return `${this.socketFor(key)}-t`
  }

  socketFor(key: string): string {
    const parent = Buffer.byteLength(tmpdir()) > longest - 30 ? '/tmp' : tmpdir()
    this.#path ??= mkdtempSync(join(parent, 'iris-ssh-'))
    return join(this.#path, sha256(key).slice(0, 8))
  }

  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true })
    this.#path = undefined
  }
}
