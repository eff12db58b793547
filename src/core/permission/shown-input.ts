import { visible } from '../../base/lib/visible.ts'

/**
 * The whole input of a tool as text that hides nothing: a line `name: value` each; text of several lines stands below its
 * name, each line behind a bar, so that none can pass for another field.
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
