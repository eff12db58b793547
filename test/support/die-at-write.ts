import { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * Ends this process with SIGKILL before the write with this number, counted from the first turn that ends. A write is a
 * statement that changes rows, or a commit.
 */
export function dieAtWrite(number: number): void {
  const { run } = StatementSync.prototype
  const { exec } = DatabaseSync.prototype
  let writes: number | undefined
  const count = (): void => {
    if (writes === undefined) return
    writes += 1
    if (writes === number) process.kill(process.pid, 'SIGKILL')
  }
  StatementSync.prototype.run = function (this: StatementSync, ...values: readonly unknown[]) {
    count()
    const [row] = values
    const isEnd = typeof row === 'object' && row !== null && 'type' in row && row.type === 'turn-settled'
    if (isEnd && this.sourceSQL.includes('journal')) writes ??= 0
    return run.apply(this, values as Parameters<typeof run>)
  }
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    if (sql === 'COMMIT') count()
    return exec.call(this, sql)
  }
}
