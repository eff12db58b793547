import childProcess from 'node:child_process'
import fs from 'node:fs'
import { Session } from 'node:inspector/promises'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { atRest } from './rest.ts'

/** The work of this thread. It is the same in each run, whatever else the machine does. */
export interface Work {
  /** Calls of functions in src/. */
  calls: number
  /** Statements of SQL that ran. */
  statements: number
  /** Rows that statements returned, and those of tables that they read from the first to the last. */
  rows: number
  /** Calls of `node:fs`. */
  files: number
  /** Programs that were started. */
  programs: number
  /** How often it let everything else have its turn (`ownTurn`). */
  turns: number
}

const none: Work = { calls: 0, statements: 0, rows: 0, files: 0, programs: 0, turns: 0 }

type Plain = (...values: unknown[]) => unknown

/**
 * Counts what this thread does, from its creation on: create it before the daemon, whose statements it must see prepared.
 * Other threads are not counted: they hold up nobody.
 */
export class WorkCounter implements AsyncDisposable {
  readonly #session = new Session()
  readonly #restore: (() => void)[] = []
  /** How many rows there are now of each table, or part of one, that a statement reads whole; by its SQL. */
  readonly #scanned = new Map<string, readonly (() => number)[]>()
  #work: Work = { ...none }
  #isLooking = false
  #isAtZero = false

  static async begin(): Promise<WorkCounter> {
    const counter = new WorkCounter()
    counter.#session.connect()
    await counter.#session.post('Profiler.enable')
    await counter.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    counter.#watchStatements()
    for (const names of [fs, fs.promises]) counter.#count(names, 'files')
    counter.#count(childProcess, 'programs')
    syncBuiltinESMExports()
    return counter
  }

  /** The work done until the promise of `work` resolved; rejects with its error. */
  async during(work: () => Promise<unknown>): Promise<Work> {
    // To read the calls takes long: the end of a count is the beginning of the next one, if nothing ran in between.
    if (!this.#isAtZero) await this.#session.post('Profiler.takePreciseCoverage')
    this.#isAtZero = true
    this.#work = { ...none }
    await work()
    const counted = { ...this.#work }
    const { result } = await this.#session.post('Profiler.takePreciseCoverage')
    const own = result.filter(({ url }) => url.includes('/src/') && !url.includes('node_modules'))
    counted.calls = own
      .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]!.count))
      .reduce((sum, count) => sum + count, 0)
    counted.turns = own
      .flatMap(({ functions }) => functions.filter(({ functionName }) => functionName === 'ownTurn'))
      .reduce((sum, { ranges }) => sum + ranges[0]!.count, 0)
    return counted
  }

  /** Lets background activity end, without counting it. */
  async rest(): Promise<void> {
    await atRest()
    this.#isAtZero = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const restore of this.#restore) restore()
    syncBuiltinESMExports()
    await this.#session.post('Profiler.stopPreciseCoverage')
    this.#session.disconnect()
  }

  #count(functions: object, kind: 'files' | 'programs'): void {
    const names = Object.entries(functions).filter(
      ([name, value]) => /^[a-z]/.test(name) && typeof value === 'function',
    )
    for (const [name] of names) this.#watch(functions, name, () => void (this.#work[kind] += 1))
  }

  #watchStatements(): void {
    const statements = Object.getPrototypeOf(new DatabaseSync(':memory:').prepare('SELECT 1')) as object
    for (const name of ['run', 'get', 'all', 'iterate'])
      this.#watch(statements, name, (statement, _, result) => {
        if (!this.#isLooking) this.#ran((statement as StatementSync).sourceSQL, result)
      })
    this.#watch(DatabaseSync.prototype, 'prepare', (database, [sql]) => {
      if (!this.#isLooking) this.#plan(database as DatabaseSync, String(sql))
    })
  }

  /** Calls `seen` after each call of a function, which keeps its properties and its `this`. */
  #watch(of: object, name: string, seen: (self: unknown, values: unknown[], result: unknown) => void): void {
    const before = Object.getOwnPropertyDescriptor(of, name)!
    const value: unknown = new Proxy(before.value as Plain, {
      apply: (plain, self: unknown, values: unknown[]) => {
        const result: unknown = Reflect.apply(plain, self, values)
        seen(self, values, result)
        return result
      },
    })
    Object.defineProperty(of, name, { ...before, value })
    this.#restore.push(() => Object.defineProperty(of, name, before))
  }

  #ran(sql: string, result: unknown): void {
    this.#work.statements += 1
    this.#work.rows += Array.isArray(result) ? result.length : 1
    this.#work.rows += this.#rowsScanned(sql)
  }

  #plan(database: DatabaseSync, sql: string): void {
    if (this.#scanned.has(sql) || !/^\s*(WITH|SELECT)\b/i.test(sql) || /\bLIMIT\b/i.test(sql)) return
    this.#isLooking = true
    try {
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
      const scans = steps.map(({ detail }) => /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail))
      this.#scanned.set(
        sql,
        scans.flatMap((scan) => (scan ? (rowsRead(database, scan[1]!, scan[2]) ?? []) : [])),
      )
    } catch {
      // Its table comes later: only the daemon's start prepares such a statement.
    } finally {
      this.#isLooking = false
    }
  }

  #rowsScanned(sql: string): number {
    this.#isLooking = true
    try {
      return (this.#scanned.get(sql) ?? []).reduce((sum, count) => sum + count(), 0)
    } finally {
      this.#isLooking = false
    }
  }
}

/** Counts what a scan reads: all of a table, or what a partial index has of it. Undefined: it is no table. */
function rowsRead(database: DatabaseSync, table: string, index: string | undefined): (() => number) | undefined {
  const sqlOf = (name: string | undefined, type: string): string | undefined => {
    const found = database.prepare('SELECT sql FROM sqlite_master WHERE name = ? AND type = ?').get(name ?? '', type)
    return found && String(found['sql'])
  }
  if (sqlOf(table, 'table') === undefined) return undefined
  const part = /\bWHERE\b.*$/is.exec(sqlOf(index, 'index') ?? '')?.[0] ?? ''
  const count = database.prepare(`SELECT COUNT(*) AS count FROM ${table} ${part}`)
  return () => (database.isOpen ? Number(count.get()?.['count']) : 0)
}
