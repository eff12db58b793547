import { readFileSync } from 'node:fs'

/**
 * When a process started: the boot id of the system, and the clock ticks from that boot to the start. Changes of the
 * clock do not affect it. Together with the pid it identifies one process forever. Undefined if there is no such
 * process or no /proc.
 */
export function processStart(pid: number): string | undefined {
  const ticks = statusOf(pid)?.[19]
  const boot = textOf('/proc/sys/kernel/random/boot_id')?.trim()
  return ticks === undefined || boot === undefined ? undefined : `${boot} ${ticks}`
}

/** Fields of `/proc/<pid>/stat` from the third, the state; see proc(5). Undefined if it cannot be read. */
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
