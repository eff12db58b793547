import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { processStart } from '../../base/lib/process-start.ts'
import { type DaemonFile, daemonFileIn } from '../../base/protocol/daemon.ts'
import { homeMark } from '../../platform/config/home-mark.ts'

/** Written atomically: readers never see half of it. */
export function writeDaemonFile(
  { daemonFile: path, lock }: { readonly daemonFile: string; readonly lock: string },
  file: Omit<DaemonFile, 'processStart' | 'home'>,
): void {
  const text = JSON.stringify({ ...file, processStart: processStart(file.pid), home: homeMark(lock) })
  writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** For people: ` (pid 123, port 1615)` of the daemon that holds the lock; empty when unknown. */
export function describeDaemon(path: string): string {
  try {
    const file = daemonFileIn(readFileSync(path, 'utf8'))
    return file === undefined ? '' : ` (pid ${file.pid}, port ${file.port})`
  } catch {
    return ''
  }
}

export function removeDaemonFile(path: string): void {
  rmSync(path, { force: true })
}
