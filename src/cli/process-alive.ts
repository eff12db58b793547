import { readFileSync } from 'node:fs'

/** Whether there is such a process that still runs. A zombie, which nobody has come to collect, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Another user's process is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isZombie(pid)
}

/** Linux tells; elsewhere nobody is taken for one. */
function isZombie(pid: number): boolean {
  return statusOf(pid)?.[0] === 'Z'
}

/** The clock may have been set a little, and the kernel counts whole seconds. */
const slackMs = 5000
const ticksPerSecond = 100

/** It began after that time, milliseconds since the epoch: whoever had its pid then has ended. Linux tells, nobody else. */
export function beganAfter(pid: number, time: number): boolean {
  const ticks = Number(statusOf(pid)?.[19])
  const [, bootSeconds = Number.NaN] = /^btime (\d+)$/m.exec(textOf('/proc/stat') ?? '') ?? []
  return (Number(bootSeconds) + ticks / ticksPerSecond) * 1000 > time + slackMs
}

/** What proc(5) has of a process from its state on, the third field. */
function statusOf(pid: number): readonly string[] | undefined {
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
