import { readFile, realpath } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isAlias, isCollection, isMap, isSeq, type Node, parseDocument } from 'yaml'
import { IrisError } from '../../base/protocol/error.ts'
import { splitTools } from './fields.ts'
import { shown } from './problem.ts'
import { replaceText } from './replace-text.ts'

interface NewRule extends RuleOfTeam {
  /** config.yaml, absolute. */
  readonly file: string
}

const mostTries = 5

/**
 * Writes one more rule of a team into config.yaml; it is in force when the file has been read again. Throws
 * `config_invalid` where that cannot be done: the file is as it was then.
 */
export async function addRule({ file, ...rule }: NewRule): Promise<void> {
  try {
    // A link stays one.
    const target = await realpath(file)
    for (let tries = 0; tries < mostTries; tries++) {
      if (await replaced(target, rule)) return
    }
  } catch (error) {
    throw notWritten(
      file,
      rule,
      error instanceof Unwritable ? error.message : `(${(error as NodeJS.ErrnoException).code})`,
    )
  }
  throw notWritten(file, rule, 'because somebody else keeps changing it')
}

class Unwritable extends Error {}

/** False when the file has changed meanwhile. */
async function replaced(target: string, rule: RuleOfTeam): Promise<boolean> {
  const before = await readFile(target, 'utf8')
  const after = withRule(before, rule)
  if (after === undefined) {
    throw new Unwritable(
      'because it is no YAML, has no such team any more, or says these rules in another place (an anchor)',
    )
  }
  if (after === before) return true
  return replaceText(target, before, after)
}

function notWritten(file: string, { team, list, rule }: RuleOfTeam, why: string): IrisError {
  const place = `teams.${team}.permissions.${list}`
  return new IrisError(
    'config_invalid',
    `The rule could not be written into ${file} ${why}.`,
    `Add it by hand, under ${shown(place)}: ${shown(rule)}`,
  )
}

interface RuleOfTeam {
  readonly team: string
  readonly list: 'allow' | 'deny'
  readonly rule: string
}

/**
 * config.yaml with one more rule of a team, all else as it was, comments and spaces too where the file is written in
 * lines. The text itself when the rule is there already; undefined where it cannot be added without changing more.
 */
export function withRule(text: string, { team, list, rule }: RuleOfTeam): string | undefined {
  const document = parsed(text)
  const way = ['teams', team, 'permissions', list]
  if (document.errors.length > 0 || !isMap(document.getIn(way.slice(0, 2))) || leadsElsewhere(document, way))
    return undefined
  // A variable to the configuration otherwise.
  const value = rule.replaceAll('${', () => '$${')
  const before = listOf(document, way)
  if (before.includes(value)) return text
  const expected = withList(document.toJS(), way, [...before, value])
  const candidates = [withLine(text, document, way, value), rewritten(text, way, before, value)]
  return candidates.find((one) => one !== undefined && isDeepStrictEqual(said(one), expected))
}

/** A copy in which nothing is shared, so that a change that others see is told apart. */
function withList(tree: unknown, way: readonly string[], list: readonly string[]): unknown {
  const [key, ...rest] = way
  if (key === undefined) return list
  const copy = JSON.parse(JSON.stringify(tree ?? {})) as Record<string, unknown>
  return { ...copy, [key]: withList(copy[key], rest, list) }
}

function parsed(text: string): Document {
  return parseDocument(text, { stringKeys: true, uniqueKeys: false })
}

function said(text: string): unknown {
  const document = parsed(text)
  return document.errors.length > 0 ? undefined : document.toJS()
}

/** What an alias stands for is said somewhere else, for others too. */
function leadsElsewhere(document: Document, way: readonly string[]): boolean {
  return way.some((_, index) => isAlias(document.getIn(way.slice(0, index + 1), true)))
}

function listOf(document: Document, way: readonly string[]): string[] {
  const node = document.getIn(way)
  if (typeof node === 'string') return splitTools(node)
  return isSeq(node) ? (node.toJS(document) as unknown[]).map(String) : []
}

/** One more line, or one more item of a list in brackets: nothing else of the text is touched. */
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

/** Where the line after the last character of a node begins; blank lines behind it stay behind what is added. */
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

/** Comments stay, spaces may change. */
function rewritten(text: string, way: readonly string[], before: readonly string[], value: string): string {
  const document = parsed(text)
  const list = document.getIn(way)
  if (isSeq(list)) list.add(value)
  else document.setIn(way, document.createNode([...before, value]))
  return document.toString({ lineWidth: 0 })
}
