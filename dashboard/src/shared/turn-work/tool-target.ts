import { isRecord } from '../../../../src/base/lib/is-record.ts'

/** The fields that can say what a tool is about, the most telling one first. */
const telling = [
  'file_path',
  'notebook_path',
  'command',
  'pattern',
  'url',
  'query',
  'toTeam',
  'team',
  'description',
  'path',
]
const longest = 120

/** The file, the command or whatever else a tool use is about, in one line; empty if its input does not say. */
export function toolTarget(input: string): string {
  const fields = fieldsOf(input)
  const name = telling.find((field) => typeof fields[field] === 'string' && fields[field] !== '')
  const text = name === undefined ? '' : String(fields[name]).replaceAll(/\s+/g, ' ').trim()
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}

/** A long input is cut off and so no longer JSON, but its first fields can still be read. */
function fieldsOf(input: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(input)
    return isRecord(parsed) ? parsed : {}
  } catch {
    const found = input.matchAll(/"(\w+)":\s*("(?:[^"\\]|\\.)*")/g)
    return Object.fromEntries([...found].map(([, name = '', value = '""']) => [name, JSON.parse(value) as unknown]))
  }
}

/** The turn that an ask to another team began, as its result names it. */
export function askedTurn(name: string, result: string | undefined): string | undefined {
  if (!name.startsWith('mcp__iris__')) return undefined
  return /"turnId"\s*:\s*"([0-9a-f]{8}-[0-9a-f-]{27})"/.exec(result ?? '')?.[1]
}
