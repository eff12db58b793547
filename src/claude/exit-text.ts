import type { Exit } from '../machine/child.ts'

export function exitedEarly(exit: Exit, stderr: string): Error {
  return new Error(exitText(exit, stderr, 1))
}

/** How it ended, with its last words. */
export function exitText({ code, signal }: Exit, stderr: string, lines: number): string {
  const how = signal ? `by ${signal}` : `with code ${code}`
  const last = stderr.trim().split('\n').slice(-lines).join(' / ')
  return `claude ended ${how}${last ? `: ${last}` : ''}`
}
