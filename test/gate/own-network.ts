import { readdirSync, readlinkSync } from 'node:fs'

/** The network namespace of a process; empty where the kernel does not say. */
export function networkOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`)
  } catch {
    return ''
  }
}

/** The namespace that `scripts/test` made; undefined where it could not, so that this process shares that of the machine. */
export function ownNetwork(): string | undefined {
  const own = networkOf(process.pid)
  return own === '' || own === networkOf(1) ? undefined : own
}

/** Ends everything else in the tests' own namespace: what a test started may have lost its parents when the test was stopped. */
export function endOthers(): void {
  const own = ownNetwork()
  if (own === undefined) return
  const others = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
  for (const pid of others) {
    if (networkOf(pid) !== own) continue
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
}
