import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Pair,
  type Scalar,
} from 'yaml'
import { parseText } from './config-text.ts'
import type { Environment } from './home.ts'
import { hidden, type KeyPath, type ProblemList, quoted } from './problem.ts'
import { isInEnvironment, isSecretKey } from './secret-keys.ts'

const deepestLevel = 12
/**
 * A limit, because aliases multiply the text. An alias also takes longer than other nodes, because it is looked up in
 * the whole file.
 */
const maxNodes = 50_000
const aliasCost = 50

/**
 * Reads YAML into plain values: objects without a prototype, lists, text, numbers, booleans, null. Replaces variables,
 * and records every key's place in `problems`. Unreadable values are reported there, marked unread and left undefined.
 * Returns undefined for text that is not YAML, and an empty object for an empty file.
 */
export async function readTree(text: string, env: Environment, problems: ProblemList): Promise<unknown> {
  const parsed = await parseText(text, problems)
  if (!parsed) return undefined
  problems.mark([], { line: 1, column: 1, shown: null })
  return new TreeReader(parsed.document, parsed.lines, env, problems).read(parsed.document.contents, [], 0) ?? {}
}

class TreeReader {
  readonly #document: Document
  readonly #lines: LineCounter
  readonly #env: Environment
  readonly #problems: ProblemList
  #nodesLeft = maxNodes

  constructor(document: Document, lines: LineCounter, env: Environment, problems: ProblemList) {
    this.#document = document
    this.#lines = lines
    this.#env = env
    this.#problems = problems
  }

  /**
   * `keyOffset` is the position of the key, in characters from the start of the file. A collection is reported at this
   * position.
   */
  read(node: unknown, path: KeyPath, keyOffset: number): unknown {
    this.#nodesLeft -= isAlias(node) ? aliasCost : 1
    if (path.length > deepestLevel || this.#nodesLeft < 0) return this.#tooLarge(path, keyOffset)
    if (isAlias(node)) return this.#alias(node, path, keyOffset)
    if (isMap(node)) {
      this.#mark(path, keyOffset, 'a mapping')
      return this.#mapping(node.items, path)
    }
    if (isSeq(node)) {
      this.#mark(path, keyOffset, 'a list')
      return node.items.map((item, index) => this.read(item, [...path, index], startOf(item, keyOffset)))
    }
    if (isScalar(node)) return this.#scalar(node, path, keyOffset)
    this.#mark(path, keyOffset, null)
    return null
  }

  #mapping(items: readonly Pair[], path: KeyPath): Record<string, unknown> {
    const entries: Record<string, unknown> = Object.create(null)
    const firstOffsets = new Map<string, number>()
    for (const { key, value } of items) {
      const name = isScalar(key) ? String(key.value) : String(key)
      const keyOffset = startOf(key, 0)
      const firstOffset = firstOffsets.get(name)
      if (firstOffset !== undefined) this.#doubled([...path, name], keyOffset, firstOffset)
      else if (isMergeKey(key)) this.#merge(value, path, keyOffset)
      // Code that copies objects, including zod's records, would silently drop this key.
      else if (name === '__proto__') this.#reserved([...path, name], keyOffset)
      else entries[name] = this.read(value, [...path, name], keyOffset)
      firstOffsets.set(name, keyOffset)
    }
    return entries
  }

  #scalar(node: Scalar, path: KeyPath, keyOffset: number): unknown {
    const inEnvironment = isInEnvironment(path)
    const { value, shown, mistakes } = readScalar(node, this.#document.schema.tags, this.#env, inEnvironment)
    // A file that is a single text could be anything, for example a private key.
    const secret = isSecretKey(path) || path.length === 0
    this.#mark(path, keyOffset, secret && shown !== null ? hidden : shown)
    for (const { written, problem, remedy } of mistakes) {
      this.#problems.report(path, { problem, remedy }, secret ? hidden : quoted(written))
    }
    if (mistakes.length > 0) this.#problems.markUnread(path)
    return value
  }

  #alias(node: Alias, path: KeyPath, keyOffset: number): unknown {
    const target = node.resolve(this.#document)
    if (target) return this.read(target, path, keyOffset)
    this.#mark(path, keyOffset, quoted(`*${node.source}`))
    this.#problems.report(path, {
      problem: 'the anchor that this refers to is not defined above',
      remedy: 'Put the value in quotes if it is plain text that begins with a star.',
    })
    return this.#problems.markUnread(path)
  }

  #tooLarge(path: KeyPath, keyOffset: number): undefined {
    const first = this.#nodesLeft !== -Infinity
    this.#nodesLeft = -Infinity
    this.#mark(path, keyOffset, null)
    this.#problems.markUnread(path)
    if (!first) return
    this.#problems.report(path, {
      problem: 'from here on, the file is too large or too deeply nested',
      remedy: 'Remove anything that is not configuration, and anchors that repeat each other.',
    })
  }

  #doubled(path: KeyPath, offset: number, firstOffset: number): void {
    const { line } = this.#lines.linePos(firstOffset)
    const words = { problem: `is written twice, first on line ${line}`, remedy: 'Keep one of the two.' }
    this.#problems.add(path, words, this.#placeAt(offset, null))
  }

  #reserved(path: KeyPath, offset: number): void {
    const words = { problem: 'is a reserved name', remedy: 'Choose another name.' }
    this.#problems.add(path, words, this.#placeAt(offset, null))
  }

  /**
   * Refuses merge keys, a feature of YAML 1.1. They would hide which keys a part of the file has and where those keys
   * come from, but Iris masks secrets and changes single keys in the place where they are written. Marks the keys that
   * would have been merged, so that none of them is reported as missing.
   */
  #merge(value: unknown, path: KeyPath, offset: number): void {
    const remedy = 'Write the keys themselves here. To use one value again, name it with &name and write key: *name.'
    const words = { problem: 'YAML merge keys are not supported', remedy }
    this.#problems.add([...path, mergeKey], words, this.#placeAt(offset, null))
    for (const item of isSeq(value) ? value.items : [value]) {
      const source = isAlias(item) ? item.resolve(this.#document) : item
      if (isMap(source)) for (const { key } of source.items) this.#problems.markUnread([...path, String(key)])
    }
  }

  #mark(path: KeyPath, offset: number, shown: string | null): void {
    this.#problems.mark(path, this.#placeAt(offset, shown))
  }

  #placeAt(offset: number, shown: string | null) {
    const { line, col } = this.#lines.linePos(offset)
    return { line, column: col, shown }
  }
}

const mergeKey = '<<'

/** Whether the key is a merge key. In quotes, `<<` is a key like any other. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === mergeKey && key.type === 'PLAIN'
}

function startOf(node: unknown, otherwise: number): number {
  return (node as { range?: readonly number[] | null } | null)?.range?.[0] ?? otherwise
}

type Tags = Document['schema']['tags']

interface ScalarValue {
  /** Undefined if the scalar has mistakes. */
  readonly value: unknown
  /** For messages; never contains a value from the environment. */
  readonly shown: string | null
  readonly mistakes: Interpolated['mistakes']
}

/**
 * A scalar with its variables replaced. An unquoted scalar that is one variable and nothing else gets the YAML type of
 * its text. With `asText`, numbers and booleans stay as written (`0x10`, `1.0`).
 */
function readScalar(node: Scalar, tags: Tags, env: Environment, asText: boolean): ScalarValue {
  const { value } = node
  if (typeof value === 'number' || typeof value === 'boolean') {
    const written = node.source ?? String(value)
    return { value: asText ? written : value, shown: written, mistakes: [] }
  }
  if (value === null) return { value, shown: null, mistakes: [] }
  if (typeof value !== 'string') return { value: undefined, shown: null, mistakes: [notConfiguration(node)] }
  const { text, whole, fromEnvironment, mistakes } = interpolate(value, env)
  if (mistakes.length > 0) return { value: undefined, shown: quoted(value), mistakes }
  const retyped = whole && node.type === 'PLAIN' && !node.tag && !asText
  return {
    value: retyped ? typed(text, tags) : text,
    shown: fromEnvironment ? `${quoted(value)}, its value is hidden` : quoted(text),
    mistakes,
  }
}

/** The report on dates of YAML 1.1, `!!binary` and the like. */
function notConfiguration({ tag }: Scalar) {
  return {
    written: tag?.replace('tag:yaml.org,2002:', '!!') ?? '',
    problem: 'has a type that a configuration does not support',
    remedy: 'Put it in quotes, and remove the word before it that begins with an exclamation mark.',
  }
}

/** The type that YAML gives to unquoted text. */
function typed(text: string, tags: Tags): unknown {
  for (const tag of tags) {
    if (tag.collection || tag.default !== true || !tag.test?.test(text)) continue
    const value = tag.resolve(text, () => {}, {})
    return isScalar(value) ? value.value : value
  }
  return text
}

interface Interpolated {
  readonly text: string
  /** Whether the text was one variable and nothing else. */
  readonly whole: boolean
  /** Whether part of the text came from the environment, so that it may be a secret. */
  readonly fromEnvironment: boolean
  /** Unusable variables; if there are any, `text` has no meaning. */
  readonly mistakes: readonly VariableMistake[]
}

interface VariableMistake {
  /** The variable as written, such as `${PORT}`. */
  readonly written: string
  readonly problem: string
  readonly remedy: string
}

// A body ends at the first brace: a greedy one would swallow `${A:-x}/${B:-y}` whole.
const variable = /\$\$\{|\$\{([^}]*)(\}?)/g
const body = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

/**
 * Replaces `${NAME}` and `${NAME:-default}` with the values in `env`; `$${` stands for `${`. The default also applies
 * to an empty variable, as in a shell. A default cannot contain another variable.
 */
export function interpolate(written: string, env: Environment): Interpolated {
  const mistakes: VariableMistake[] = []
  let fromEnvironment = false
  let whole = false
  const text = written.replace(variable, (match: string, inner: string | undefined, end: string | undefined) => {
    if (inner === undefined) return '${'
    whole = match.length === written.length
    const [, name, fallback] = (end && body.exec(inner)) || []
    if (name === undefined || fallback?.includes('${')) {
      mistakes.push(notAVariable(match))
      return ''
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value !== undefined && (value !== '' || fallback === undefined)) {
      fromEnvironment = true
      return value
    }
    if (fallback === undefined) mistakes.push(notSet(match, name))
    return fallback ?? ''
  })
  return { text, whole, fromEnvironment, mistakes }
}

function notAVariable(written: string): VariableMistake {
  return {
    written,
    problem: 'this is not a variable that Iris can read',
    remedy: 'Write ${NAME} or ${NAME:-default} (a default cannot contain another variable), or $${ for a plain ${.',
  }
}

function notSet(written: string, name: string): VariableMistake {
  return {
    written,
    problem: `the environment variable ${name} is not set`,
    remedy: `Set ${name} before Iris starts, or write a default: \${${name}:-default}.`,
  }
}
