import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../base/lib/is-record.ts'

/** A replaced piece of a text; everything around it stays, byte for byte. */
export interface Edit {
  readonly removed: string
  readonly inserted: string
}

export interface Edited extends Edit {
  readonly text: string
}

interface Token {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** The tokens of valid JSON: strings, punctuation, and the rest. */
function tokensOf(text: string): readonly Token[] {
  return [...text.matchAll(/"(?:\\.|[^"\\])*"|[{}[\]:,]|[^\s{}[\]:,"]+/g)].map((found) => ({
    text: found[0],
    from: found.index,
    to: found.index + found[0].length,
  }))
}

/** The index of the last token of the value that begins with token `from`. */
function lastOf(tokens: readonly Token[], from: number): number {
  let depth = 0
  for (let index = from; ; index += 1) {
    const { text } = tokens[index]!
    if (text === '{' || text === '[') depth += 1
    if (text === '}' || text === ']') depth -= 1
    if (depth === 0) return index
  }
}

/**
 * The index of the key's token in the object that begins with token `open`; if there are several such keys, the last
 * one counts.
 */
function keyIn(tokens: readonly Token[], open: number, key: string): number | undefined {
  const close = lastOf(tokens, open)
  let found: number | undefined
  for (let index = open + 1; index < close; index = lastOf(tokens, index + 2) + 2) {
    if (JSON.parse(tokens[index]!.text) === key) found = index
  }
  return found
}

/** Sets `mcpServers.<name>` in a JSON object, in the text's indentation. `mcpServers` must be an object or missing. */
export function withServer(text: string, name: string, value: unknown): Edited {
  const tokens = tokensOf(text)
  const at = keyIn(tokens, 0, 'mcpServers')
  if (at === undefined) return inserted(text, tokens, 0, 1, 'mcpServers', { [name]: value })
  const key = keyIn(tokens, at + 2, name)
  if (key === undefined) return inserted(text, tokens, at + 2, 2, name, value)
  const [begin, end] = [tokens[key]!.from, tokens[lastOf(tokens, key + 2)]!.to]
  return edited(text, begin, end, `${JSON.stringify(name)}: ${written(text, 2, value)}`)
}

/** Appends a member, `depth` levels deep, to the object that begins with token `open`. */
function inserted(text: string, tokens: readonly Token[], open: number, depth: number, key: string, value: unknown) {
  const last = lastOf(tokens, open) - 1
  const { to } = tokens[last]!
  const isFirst = last === open
  const [unit, line] = [indentOf(text), lineEnd(text)]
  const member = `${JSON.stringify(key)}: ${written(text, depth, value)}`
  if (unit === '') return edited(text, to, to, `${isFirst ? '' : ', '}${member}`)
  const after = isFirst && tokens[last + 1]!.from === to ? `${line}${unit.repeat(depth - 1)}` : ''
  return edited(text, to, to, `${isFirst ? '' : ','}${line}${unit.repeat(depth)}${member}${after}`)
}

function edited(text: string, from: number, to: number, words: string): Edited {
  return { text: text.slice(0, from) + words + text.slice(to), removed: text.slice(from, to), inserted: words }
}

function written(text: string, depth: number, value: unknown): string {
  const unit = indentOf(text)
  if (unit === '') return JSON.stringify(value)
  return JSON.stringify(value, null, unit).replaceAll('\n', lineEnd(text) + unit.repeat(depth))
}

/** The indentation of one level, from the first key that begins a line; empty for a text in one line. */
function indentOf(text: string): string {
  return /^[ \t]+(?=")/m.exec(text)?.[0] ?? (/\{\s*\}\s*$/.test(text) ? '  ' : '')
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/**
 * Undoes the edit: restores the text byte for byte, or removes only the server if the text has changed since. Without
 * `keeps`, also removes `mcpServers` if it is then empty.
 */
export function withoutServer(text: string, name: string, { removed, inserted: words }: Edit, keeps: boolean): string {
  const { mcpServers, ...others } = parsed(text) ?? {}
  const former = parsed(`{${removed}}`)?.[name]
  const { [name]: _, ...left } = isRecord(mcpServers) ? mcpServers : {}
  const servers = { ...left, ...(former !== undefined && { [name]: former }) }
  const wanted = Object.keys(servers).length > 0 || keeps ? { ...others, mcpServers: servers } : others
  const at = text.indexOf(words)
  const restored = at === -1 ? '' : text.slice(0, at) + removed + text.slice(at + words.length)
  if (isDeepStrictEqual(parsed(restored), wanted)) return restored
  return JSON.stringify(wanted, null, indentOf(text)) + text.slice(text.trimEnd().length)
}

/** Removes an empty `mcpServers`; everything else stays, byte for byte. */
export function withoutEmptyServers(text: string): string {
  const tokens = tokensOf(text)
  const key = keyIn(tokens, 0, 'mcpServers')
  if (key === undefined || tokens[key + 2]!.text !== '{' || tokens[key + 3]!.text !== '}') return text
  const [before, after] = [tokens[key - 1]!, tokens[key + 4]!]
  if (before.text === ',') return text.slice(0, before.from) + text.slice(tokens[key + 3]!.to)
  const rest = after.text === ',' ? tokens[key + 5]!.from : after.from
  return text.slice(0, after.text === ',' ? tokens[key]!.from : before.to) + text.slice(rest)
}

/** The JSON object in a text; undefined for any other text. */
export function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
