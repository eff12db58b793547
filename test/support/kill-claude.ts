import { readlinkSync } from 'node:fs'
import { processesOf } from './program.ts'

/** Kills the Claude Code processes of a world; with `directory`, only those that work there. */
export function killClaude(root: string, directory?: string): void {
  for (const pid of processesOf(root)) {
    try {
      const isThere = directory === undefined || readlinkSync(`/proc/${pid}/cwd`) === directory
      if (isThere && readlinkSync(`/proc/${pid}/exe`).endsWith('/claude')) process.kill(pid, 'SIGKILL')
    } catch {
      // Gone in between.
    }
  }
}
