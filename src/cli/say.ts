/** A line for the person or script that called. */
export function say(text = ''): void {
  process.stdout.write(`${text}\n`)
}

/** The same on stderr, where stdout is not for people. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

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
