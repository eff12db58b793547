import { terminalSafe } from '../../base/lib/visible.ts'
import { filled } from './wrapped.ts'

/** Drawn on the terminal below all output. */
interface Drawn {
  makesWay(writeLines: () => void): void
}

let drawn: Drawn | undefined

/** Sets the line below the output. A process has one terminal, so at most one such line. */
export function drawsBelow(line: Drawn): void {
  drawn = line
}

function writeLine(stream: NodeJS.WriteStream, line: string): void {
  const write = (): void => void stream.write(`${line}\n`)
  if (drawn !== undefined && stream.isTTY) drawn.makesWay(write)
  else write()
}

/** At a terminal, whose width may be unknown, without words that are broken in two. */
function fitted(text: string, { isTTY, columns }: NodeJS.WriteStream): string {
  return isTTY && columns > 0 ? filled(text, columns) : text
}

/** Prints a line on stdout, safe for terminals: agents may have written parts of it. */
export function say(text = ''): void {
  writeLine(process.stdout, fitted(terminalSafe(text), process.stdout))
}

/** The same for a text that somebody may copy, such as code: its lines are broken only where the terminal breaks them. */
export function sayAsWritten(text: string): void {
  writeLine(process.stdout, terminalSafe(text))
}

/** The same on stderr. */
export function note(text: string): void {
  writeLine(process.stderr, fitted(terminalSafe(text), process.stderr))
}

/** Prints one line of JSON for programs, with escapes for characters that a terminal would interpret. */
export function sayJson(value: unknown): void {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  process.stdout.write(`${JSON.stringify(value).replace(actingInJson, escaped)}\n`)
}

const actingInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** `2 minutes`, `3 hours`: in the largest unit that fits, at least one second. */
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
