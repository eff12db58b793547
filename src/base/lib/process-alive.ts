import { statusOf } from './process-start.ts'

/** Whether the process runs. A zombie, which has ended and awaits its parent, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Another user's process is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  // Without /proc, no process counts as a zombie.
  return statusOf(pid)?.[0] !== 'Z'
}
