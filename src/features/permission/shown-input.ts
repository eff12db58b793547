import { visible } from '../../base/lib/visible.ts'

/**
 * The whole input of a tool as text, with invisible characters made visible: one line `name: value` for each field. The
 * lines of a longer text follow below its name, each behind a bar, so that none can be mistaken for another field.
 */
export function shownInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([name, value]) => `${visible(JSON.stringify(name).slice(1, -1))}:${shownValue(value)}`)
    .join('\n')
}

function shownValue(value: unknown): string {
  const text = visible(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'))
  if (!text.includes('\n')) return ` ${text}`
  return text
    .split('\n')
    .map((line) => `\n  | ${line}`)
    .join('')
}
