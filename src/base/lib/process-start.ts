import { readFileSync } from 'node:fs'

/**
 * When a process started: the system's boot id, and the ticks from that boot, which no clock changes. Together with the
 * pid it names one process for ever. Undefined where there is no such process, or no /proc.
 */
export function processStart(pid: number): string | undefined {
  const ticks = statusOf(pid)?.[19]
  const boot = textOf('/proc/sys/kernel/random/boot_id')?.trim()
  return ticks === undefined || boot === undefined ? undefined : `${boot} ${ticks}`
}

/** Fields of `/proc/<pid>/stat` from the third one, the state, on; see proc(5). */
export function statusOf(pid: number): readonly string[] | undefined {
  const text = textOf(`/proc/${pid}/stat`)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
