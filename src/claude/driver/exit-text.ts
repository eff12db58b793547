import type { Exit } from '../../base/lib/program-end.ts'

export function exitedEarly(exit: Exit, stderr: string): Error {
  return new Error(exitText(exit, stderr, 1))
}

/** How a process ended, with the error line of its stderr and the last `lines` lines. */
export function exitText({ code, signal }: Exit, stderr: string, lines: number): string {
  const how = signal ? `by ${signal}` : `with code ${code}`
  const all = stderr.split('\n').filter((line) => line.trim() !== '')
  const last = all.slice(-lines)
  // Advice may follow the error over many lines.
  const error = all.find((line) => /\berror:/i.test(line))
  const words = error === undefined || last.includes(error) ? last : [error, ...last]
  return `claude ended ${how}${words.length > 0 ? `: ${words.join(' / ')}` : ''}`
}
