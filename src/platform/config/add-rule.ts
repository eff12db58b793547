import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isAlias, isCollection, isMap, isSeq, type Node } from 'yaml'
import { IrisError } from '../../base/protocol/error.ts'
import { maxBytes } from './config-text.ts'
import { splitTools } from './fields.ts'
import { parsedConfig } from './parsed-config.ts'
import { shown } from './problem.ts'
import { replaceConfig } from './replace-config.ts'

interface NewRule extends RuleOfTeam {
  /** Absolute path of config.yaml. */
  readonly file: string
}

const maxTries = 5

/**
 * Adds a rule for a team to config.yaml. The rule takes effect once the daemon has read the file again. Throws
 * `config_invalid` if the rule cannot be added, and leaves the file unchanged.
 */
export function addRule(rule: NewRule): Promise<void> {
  return changed(rule, withRule, { done: 'written into', remedy: 'Add it by hand' })
}

/** Removes a team's rule from config.yaml, if it is there. Throws the same errors as `addRule`. */
export function removeRule(rule: NewRule): Promise<void> {
  return changed(rule, withoutRule, { done: 'removed from', remedy: 'Remove it by hand' })
}

interface Words {
  readonly done: string
  readonly remedy: string
}

type Change = (text: string, rule: RuleOfTeam) => string | undefined

async function changed({ file, ...rule }: NewRule, change: Change, words: Words): Promise<void> {
  try {
    for (let tries = 0; tries < maxTries; tries++) {
      if (await replaced(file, rule, change)) return
    }
  } catch (error) {
    throw notWritten(
      file,
      rule,
      words,
      error instanceof Unwritable ? error.message : `(${(error as NodeJS.ErrnoException).code})`,
    )
  }
  throw notWritten(file, rule, words, 'because another program keeps changing it')
}

class Unwritable extends Error {}

/** Returns false if the file has changed in the meantime. */
async function replaced(file: string, rule: RuleOfTeam, change: Change): Promise<boolean> {
  const before = await readFile(file, 'utf8')
  const after = change(before, rule)
  if (after === undefined) {
    throw new Unwritable(
      'because it is not YAML, has no such team any more, or has these rules in another place (an anchor)',
    )
  }
  if (after === before) return true
  if (Buffer.byteLength(after) > maxBytes) throw new Unwritable('because the file would be too large')
  return replaceConfig(file, before, after)
}

function notWritten(file: string, { team, list, rule }: RuleOfTeam, { done, remedy }: Words, why: string): IrisError {
  const place = `teams.${team}.permissions.${list}`
  return new IrisError(
    'config_invalid',
    `The rule could not be ${done} ${file} ${why}.`,
    `${remedy}, under ${shown(place)}: ${shown(rule)}`,
  )
}

interface RuleOfTeam {
  readonly team: string
  readonly list: 'allow' | 'deny'
  readonly rule: string
}

/**
 * config.yaml with one more rule for a team. Everything else stays, including comments and, where the file is in block
 * style, spaces. Returns the same text if the rule is already there; undefined if the rule cannot be added without
 * other changes.
 */
export function withRule(text: string, wanted: RuleOfTeam): string | undefined {
  const place = placeOf(text, wanted)
  if (place === undefined) return undefined
  const { document, way, value, before } = place
  if (before.includes(value)) return text
  const expected = withList(document.toJS(), way, [...before, value])
  return firstThatSays(expected, [
    withLine(text, document, way, value),
    rewritten(text, (copy) => addItem(copy, way, [...before, value])),
  ])
}

/**
 * config.yaml without a rule of a team, and without a list or mapping that contained nothing else. Returns the same
 * text if the rule is not there; undefined if it cannot be removed without other changes.
 */
export function withoutRule(text: string, wanted: RuleOfTeam): string | undefined {
  const place = placeOf(text, wanted)
  if (place === undefined) return undefined
  const { document, way, value, before } = place
  if (!before.includes(value)) return text
  const left = before.filter((one) => one !== value)
  const expected = left.length > 0 ? withList(document.toJS(), way, left) : withoutKey(document.toJS(), way)
  return firstThatSays(expected, [
    withoutLine(text, document, way, before.indexOf(value)),
    rewritten(text, (copy) => shortenTo(copy, way, left)),
  ])
}

function firstThatSays(expected: unknown, texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((one) => one !== undefined && isDeepStrictEqual(said(one), expected))
}

/** Serializes the document again: comments stay, but spaces may change. */
function rewritten(text: string, change: (document: Document) => void): string {
  const document = parsedConfig(text)
  change(document)
  return document.toString({ lineWidth: 0 })
}

/** The place of a team's rules in config.yaml; undefined if they cannot be changed without changing something else. */
function placeOf(text: string, { team, list, rule }: RuleOfTeam) {
  const document = parsedConfig(text)
  const way = ['teams', team, 'permissions', list]
  if (document.errors.length > 0 || !isMap(document.getIn(way.slice(0, 2))) || leadsElsewhere(document, way))
    return undefined
  // Escapes `${`, which begins a variable in config.yaml.
  return { document, way, value: rule.replaceAll('${', () => '$${'), before: listOf(document, way) }
}

/** The tree without the key at the end of the path, and without `permissions` if that becomes empty; the team stays. */
function withoutKey(tree: unknown, [key = '', ...rest]: readonly string[]): unknown {
  const { [key]: inner, ...others } = tree as Record<string, unknown>
  if (rest.length === 0) return others
  const left = withoutKey(inner, rest)
  const isEmpty = key === 'permissions' && Object.keys(left as object).length === 0
  return isEmpty ? others : { ...(tree as object), [key]: left }
}

/** Removes the lines of the rule, and those of keys above it that contain nothing else; leaves the rest unchanged. */
function withoutLine(text: string, document: Document, way: readonly string[], index: number): string | undefined {
  const list = document.getIn(way) as { flow?: boolean; items?: Node[] }
  const [from, , to] = list.items?.[index]?.range ?? []
  if (list.flow || from === undefined || to === undefined) return undefined
  let start = text.lastIndexOf('\n', from) + 1
  if (list.items!.length === 1) {
    const depth = (document.getIn(way.slice(0, 3)) as { items: unknown[] }).items.length === 1 ? 2 : 1
    for (let key = 0; key < depth; key += 1) start = text.lastIndexOf('\n', start - 2) + 1
  }
  return text.slice(0, start) + text.slice(endOfLine(text, to))
}

function shortenTo(document: Document, way: readonly string[], left: readonly string[]): void {
  if (left.length > 0) document.setIn(way, document.createNode(left))
  else document.deleteIn(way)
  const permissions = document.getIn(way.slice(0, 3))
  if (left.length === 0 && isMap(permissions) && permissions.items.length === 0) document.deleteIn(way.slice(0, 3))
}

/**
 * The expected tree. Nothing in it is shared, so comparing with it detects a change to a list that is shared through an
 * alias.
 */
function withList(tree: unknown, way: readonly string[], list: readonly string[]): unknown {
  const [key, ...rest] = way
  if (key === undefined) return list
  const copy = JSON.parse(JSON.stringify(tree ?? {})) as Record<string, unknown>
  return { ...copy, [key]: withList(copy[key], rest, list) }
}

function said(text: string): unknown {
  const document = parsedConfig(text)
  return document.errors.length > 0 ? undefined : document.toJS()
}

/** Whether the path leads through an alias: its target is written elsewhere and may be shared. */
function leadsElsewhere(document: Document, way: readonly string[]): boolean {
  return way.some((_, index) => isAlias(document.getIn(way.slice(0, index + 1), true)))
}

function listOf(document: Document, way: readonly string[]): string[] {
  const node = document.getIn(way)
  if (typeof node === 'string') return splitTools(node)
  return isSeq(node) ? (node.toJS(document) as unknown[]).map(String) : []
}

/** Adds one line, or one item to a list in brackets, and leaves the rest of the text unchanged. */
function withLine(text: string, document: Document, way: readonly string[], value: string): string | undefined {
  const depth = [4, 3, 2].find((length) => hasItems(document.getIn(way.slice(0, length))))
  if (depth === undefined) return undefined
  const around = document.getIn(way.slice(0, depth)) as Node & { flow?: boolean; items: unknown[] }
  const [start = 0, end = 0] = around.range ?? []
  if (around.flow) return depth === 4 ? `${text.slice(0, end - 1)}, ${scalar(value)}${text.slice(end - 1)}` : undefined
  const indent = start - (text.lastIndexOf('\n', start - 1) + 1)
  const at = endOfLine(text, end)
  return `${text.slice(0, at)}${at > 0 && text[at - 1] !== '\n' ? '\n' : ''}${linesOf(way.slice(depth), value, indent)}${text.slice(at)}`
}

function hasItems(node: unknown): boolean {
  return isCollection(node) && node.items.length > 0
}

/** The start of the line after a node's last character; blank lines after the node stay after the insertion. */
function endOfLine(text: string, end: number): number {
  const last = text.slice(0, end).trimEnd().length
  const newline = text.indexOf('\n', last)
  return newline < 0 ? text.length : newline + 1
}

function linesOf(keys: readonly string[], value: string, indent: number): string {
  const lines = [...keys.map((key) => `${key}:`), `- ${scalar(value)}`]
  return lines.map((line, index) => `${' '.repeat(indent + 2 * index)}${line}\n`).join('')
}

function scalar(value: string): string {
  return /[^\x20-\x7e]/.test(value) ? JSON.stringify(value) : `'${value.replaceAll("'", "''")}'`
}

/** `items`: all items, of which the last one is new. */
function addItem(document: Document, way: readonly string[], items: readonly string[]): void {
  const list = document.getIn(way)
  if (isSeq(list)) list.add(items.at(-1))
  else document.setIn(way, document.createNode(items))
}
