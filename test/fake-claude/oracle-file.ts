import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import type { OracleEntry, OracleEvent } from './oracle-event.ts'

/**
 * Appends entries to the oracle's file, each in one write. Beside it a small file for each session says which process
 * took it up last: whether that one still lives is asked of the kernel at the next start, the only moment it can be known.
 */
export function oracleRecorder(path: string, session: string): (event: OracleEvent) => void {
  return (event) => {
    const started = event.event === 'start' || event.event === 'resume'
    const facts = started ? startFacts(`${path}.${session}`) : {}
    const entry: OracleEntry = { at: Date.now(), pid: process.pid, session, ...event, ...facts }
    appendFileSync(path, `${JSON.stringify(entry)}\n`)
  }
}

function startFacts(ownerPath: string): Record<string, unknown> {
  const [pid, since] = readIfThere(ownerPath)?.split(' ') ?? []
  const alive = pid !== undefined && since !== undefined && since === startTicks(pid)
  writeFileSync(ownerPath, `${process.pid} ${startTicks('self')}`)
  return {
    argv: process.argv.slice(2),
    environmentNames: Object.keys(process.env).sort(),
    aliveWriters: alive ? [Number(pid)] : [],
  }
}

/** When the process started, in the kernel's ticks; undefined when it is gone or a zombie. */
function startTicks(pid: string): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  // After the name, which may hold anything, in brackets: the state, and 19 fields further the start time.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields?.[0] === 'Z' ? undefined : fields?.[19]
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
