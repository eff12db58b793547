import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isAlive } from '../../base/lib/process-alive.ts'

/** Removes the leftovers of killed processes: files and directories named `<begin>-<pid>` or `<begin>-<pid>-…`. */
export function removeLeftovers(begin: string): void {
  for (const name of readdirSync(dirname(begin))) {
    if (!name.startsWith(`${basename(begin)}-`)) continue
    const [, pid] = /^(\d+)(?:-[\w-]+)?$/.exec(name.slice(basename(begin).length + 1)) ?? []
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue
    rmSync(join(dirname(begin), name), { recursive: true, force: true })
  }
}
