import { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * Ends this process with SIGKILL before the write with this number, counted from the first turn that ends. A write is a
 * statement that changes rows, or a commit.
 */
export function dieAtWrite(number: number): void {
  // oxlint-disable-next-line typescript/unbound-method -- they are applied to the object that they are called on
  const { run, all } = StatementSync.prototype
  // oxlint-disable-next-line typescript/unbound-method -- as above
  const { exec } = DatabaseSync.prototype
  let writes: number | undefined
  const count = (): void => {
    if (writes === undefined) return
    writes += 1
    if (writes === number) process.kill(process.pid, 'SIGKILL')
  }
  StatementSync.prototype.run = function (this: StatementSync, ...values: Parameters<typeof run>) {
    count()
    const given: readonly unknown[] = values
    if (this.sourceSQL.startsWith('INSERT INTO journal ') && given.includes('turn-settled')) writes ??= 0
    return run.apply(this, values)
  } as typeof run
  StatementSync.prototype.all = function (this: StatementSync, ...values: Parameters<typeof all>) {
    if (/\bRETURNING\b/.test(this.sourceSQL)) count()
    return all.apply(this, values)
  } as typeof all
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    if (sql === 'COMMIT') count()
    return exec.call(this, sql)
  }
}
