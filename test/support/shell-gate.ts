import { writeFile } from 'node:fs/promises'

/**
 * A command that waits until `openGate` opens the gate at `path`. It sleeps in the kernel: one that looks again and again
 * never rests, and a `JumpingClock` waits for rest.
 */
export function untilOpen(path: string): string {
  return `mkfifo ${path} 2>/dev/null; read _ <${path}`
}

/** Lets the command continue. Before it has made its gate, it finds this line instead. */
export function openGate(path: string): Promise<void> {
  return writeFile(path, '\n')
}
