import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

/** What a killed process leaves is what it wrote before. */
class Killed extends Error {}

const files = ['writeFileSync', 'writeSync', 'renameSync', 'rmSync', 'unlinkSync', 'mkdirSync', 'copyFileSync'] as const
const statements = ['run', 'all', 'get'] as const
const changes = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER)\b/i

/**
 * Runs the work as a process that is killed before its write with this number, counted from 1: that write and all after
 * it do not happen. A write is a change of a file, a commit, or a statement that changes rows outside of a transaction.
 * Resolves with whether it was killed. For work that writes synchronously, and beside no other.
 */
export async function deadFrom(number: number, work: () => Promise<unknown>): Promise<boolean> {
  let writes = 0
  const before = (): void => {
    writes += 1
    if (writes >= number) throw new Killed(`killed at its write ${number}`)
  }
  const undo: (() => void)[] = []
  const replace = <Of extends object, Name extends keyof Of>(
    of: Of,
    name: Name,
    isWrite: (self: Of, argument: unknown) => boolean,
  ): void => {
    const original = of[name] as (...values: unknown[]) => unknown
    of[name] = function (this: Of, ...values: unknown[]) {
      if (isWrite(this, values[0])) before()
      return original.apply(this, values)
    } as Of[Name]
    undo.push(() => (of[name] = original as Of[Name]))
  }
  let isInTransaction = false
  for (const name of files) replace(fs, name, () => true)
  for (const name of statements)
    replace(StatementSync.prototype, name, ({ sourceSQL }) => !isInTransaction && changes.test(sourceSQL))
  replace(DatabaseSync.prototype, 'exec', ({ isTransaction }, sql) => {
    const text = String(sql)
    if (/^(?:BEGIN|COMMIT|ROLLBACK)/.test(text)) isInTransaction = text.startsWith('BEGIN IMMEDIATE')
    return text === 'COMMIT' || (!isTransaction && changes.test(text))
  })
  syncBuiltinESMExports()
  try {
    await work()
    return false
  } catch (error) {
    if (writes < number) throw error
    return true
  } finally {
    for (const each of undo) each()
    syncBuiltinESMExports()
  }
}
