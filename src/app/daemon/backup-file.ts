import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import { refuseOtherThanFile } from '../../platform/store/plain-store.ts'

/** What a backup says about itself. */
const About = z.object({
  format: z.literal(1),
  version: z.string(),
  /** When it was made, milliseconds since the epoch. */
  at: z.number(),
  /** The home that was backed up, see `HomeRecord`. */
  path: z.string(),
  mark: z.string().optional(),
  /** The path of the store in the backup. */
  store: z.string(),
  hasTokens: z.boolean(),
})
export type About = z.infer<typeof About>

export interface BackupEntry {
  readonly id: number
  /** Relative to the home, with slashes. */
  readonly path: string
  readonly bytes: number
  /** SHA-256 of the content, in hex. */
  readonly sha256: string
}

/** How many bytes of a file are in memory at once. */
const pieceBytes = 1024 * 1024

const schema = `
  CREATE TABLE about (json TEXT NOT NULL) STRICT;
  CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL) STRICT;
  CREATE TABLE pieces (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
`

/**
 * A backup: an SQLite database with the files of a home. `about` is written last, so a file without it was never
 * finished.
 */
export class BackupFile implements Disposable {
  readonly #database: DatabaseSync

  /** A new backup, in a file that does not exist yet; the caller renames it when it is complete. */
  static made(path: string): BackupFile {
    const database = new DatabaseSync(path)
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${schema}`)
    return new BackupFile(database)
  }

  /** Throws `invalid_input` for a file that is no finished backup. */
  static opened(path: string): BackupFile & { readonly about: About } {
    let database: DatabaseSync | undefined
    try {
      refuseOtherThanFile(path)
      database = new DatabaseSync(path, { readOnly: true })
      const file = new BackupFile(database)
      return Object.assign(file, { about: file.#readAbout() })
    } catch (error) {
      database?.close()
      const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
      throw new IrisError(
        'invalid_input',
        `${path} is not a backup of Iris, or it is incomplete: ${why}.`,
        'Use a file that "iris backup" created.',
        { cause: error },
      )
    }
  }

  private constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Adds a file with its present content, even while others append to it. Returns its length in bytes. */
  add(path: string, from: string): number {
    const file = openSync(from, 'r')
    try {
      const insert = this.#database.prepare('INSERT INTO pieces (file, content) VALUES (?, ?)')
      const add = this.#database.prepare(`INSERT INTO files (path, bytes, sha256) VALUES (?, 0, '')`)
      const id = Number(add.run(path).lastInsertRowid)
      const hash = createHash('sha256')
      const piece = Buffer.alloc(pieceBytes)
      let bytes = 0
      for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
        const content = piece.subarray(0, read)
        insert.run(id, content)
        hash.update(content)
        bytes += read
      }
      this.#database.prepare('UPDATE files SET bytes = ?, sha256 = ? WHERE id = ?').run(bytes, hash.digest('hex'), id)
      return bytes
    } finally {
      closeSync(file)
    }
  }

  finish(about: About): void {
    this.#database.prepare('INSERT INTO about (json) VALUES (?)').run(JSON.stringify(about))
  }

  entries(): readonly BackupEntry[] {
    return this.#database
      .prepare('SELECT id, path, bytes, sha256 FROM files ORDER BY id')
      .all() as unknown as BackupEntry[]
  }

  /**
   * Yields the content piece by piece. After the last piece, throws `invalid_input` if the content differs from what
   * was added.
   */
  *piecesOf({ id, path, sha256 }: BackupEntry): Generator<Uint8Array> {
    const hash: Hash = createHash('sha256')
    for (const row of this.#database.prepare('SELECT content FROM pieces WHERE file = ? ORDER BY id').iterate(id)) {
      const content = row['content'] as Uint8Array
      hash.update(content)
      yield content
    }
    if (hash.digest('hex') === sha256) return
    throw new IrisError(
      'invalid_input',
      `The backup is damaged: its copy of ${path} has changed since the backup was made.`,
      'Use another backup.',
    )
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  #readAbout(): About {
    const text = this.#database.prepare('SELECT json FROM about').get()?.['json']
    if (typeof text !== 'string') throw new Error('it was never finished')
    return About.parse(JSON.parse(text))
  }
}
