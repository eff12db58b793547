import { rmSync } from 'node:fs'
import { plainFile } from '../../base/lib/plain-file.ts'
import { processStart } from '../../base/lib/process-start.ts'
import { replaceFile } from '../../base/lib/replace-file.ts'
import { type DaemonFile, daemonFileIn } from '../../base/protocol/daemon.ts'
import { directoryMark, homeMark } from '../../platform/config/home-mark.ts'

/** Writes the file atomically, so that readers never see half of it. */
export function writeDaemonFile(
  { daemonFile: path, lock }: { readonly daemonFile: string; readonly lock: string },
  file: Omit<DaemonFile, 'processStart' | 'home' | 'homeDirectory'>,
): void {
  const marks = { home: homeMark(lock), homeDirectory: directoryMark(lock) }
  const text = JSON.stringify({ ...file, processStart: processStart(file.pid), ...marks })
  replaceFile(path, `${text}\n`)
}

/** Shows commands that this daemon is ending on purpose, so that they do not start another one. */
export function markStopping(paths: { readonly daemonFile: string; readonly lock: string }): void {
  try {
    const file = daemonFileIn(plainFile(paths.daemonFile))
    if (file !== undefined) writeDaemonFile(paths, { ...file, isStopping: true })
  } catch {
    // The disk is full. If this daemon is killed before it has stopped, commands then take it for one that died.
  }
}

/** For people: ` (pid 123, port 1615)` of the daemon that holds the lock; empty when unknown. */
export function describeDaemon(path: string): string {
  try {
    const file = daemonFileIn(plainFile(path))
    return file === undefined ? '' : ` (pid ${file.pid}, port ${file.port})`
  } catch {
    return ''
  }
}

/**
 * Removes the file, unless it is another daemon's. Another daemon may have started in the same place after this one's
 * home was removed.
 */
export function removeDaemonFile(path: string): void {
  if (pidIn(path) === process.pid) rmSync(path, { force: true })
}

/**
 * The pid in the file. For an unreadable file, this process's own pid: such a file leads nobody to another daemon, so
 * this daemon may remove it.
 */
function pidIn(path: string): number {
  try {
    return daemonFileIn(plainFile(path))?.pid ?? process.pid
  } catch {
    return process.pid
  }
}
