import { terminalSafe } from '../../base/lib/visible.ts'

/** What is drawn on the terminal below all that is said. */
interface Drawn {
  makesWay(writeLines: () => void): void
}

let drawn: Drawn | undefined

/** A process has one terminal, and on it one such line at the most. */
export function drawsBelow(line: Drawn): void {
  drawn = line
}

function writeLine(stream: NodeJS.WriteStream, line: string): void {
  const write = (): void => void stream.write(`${line}\n`)
  if (drawn !== undefined && stream.isTTY) drawn.makesWay(write)
  else write()
}

/** A line for the person or script that called; what agents wrote in it cannot act on the terminal. */
export function say(text = ''): void {
  writeLine(process.stdout, terminalSafe(text))
}

/** The same on stderr, where stdout is not for people. */
export function note(text: string): void {
  writeLine(process.stderr, terminalSafe(text))
}

/** For programs: one line, in which what a terminal would act on is escaped as JSON has it. */
export function sayJson(value: unknown): void {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  process.stdout.write(`${JSON.stringify(value).replace(actingInJson, escaped)}\n`)
}

const actingInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** `2 minutes`, `3 hours`: the largest unit that fits, of at least a second. */
export function durationText(ms: number): string {
  const units = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1000, 'second'],
  ] as const
  const [length, name] = units.find(([unit]) => ms >= unit) ?? units[3]
  const count = Math.max(1, Math.floor(ms / length))
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
