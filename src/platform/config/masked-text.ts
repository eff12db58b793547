import { isDeepStrictEqual } from 'node:util'
import type { KeyPath } from './problem.ts'
import { type PlacedScalar, scalarsOf } from './scalars.ts'
import { isSecretKey } from './secret-keys.ts'
import { isUnknownKey } from './shape.ts'

type Node = PlacedScalar['node']

/** Shown in place of a secret. A text that is saved with this placeholder keeps the secret. */
export const placeholder = '•••• (kept)'

/**
 * config.yaml with the placeholder for every value that may be a secret; a value that consists of a single variable is
 * not a secret. Comments are kept as written. Undefined for text that is not YAML, in which secrets cannot be
 * recognised.
 */
export async function masked(text: string): Promise<string | undefined> {
  const scalars = await scalarsOf(text)
  if (scalars === undefined) return undefined
  // Keyed by offset, because aliases can make one scalar the value at several paths.
  const secrets = new Map(scalars.filter(isSecret).map(({ node }) => [node.range[0], node]))
  return withReplaced(
    text,
    [...secrets.values()].map((node) => [node, quotedOf(placeholder)] as const),
  )
}

export interface Restored {
  /** The text with the secrets. Only the placeholders at `strays` remain. */
  readonly text: string
  /** The same, but with each secret on one line, so that line numbers match the given text. */
  readonly inLines: string
  /** Places that have a placeholder but had no secret before. */
  readonly strays: readonly KeyPath[]
  /** Places that newly refer to a variable, or to a secret elsewhere in the text. */
  readonly references: readonly KeyPath[]
}

/** Restores the secrets in a text that is based on `masked(before)`. */
export async function restored(text: string, before: string): Promise<Restored> {
  const [scalars, formerNodes] = [(await scalarsOf(text)) ?? [], byPath((await scalarsOf(before)) ?? [])]
  const back = new Map<Node, Node>()
  const masks = scalars.filter(({ node }) => node.value === placeholder)
  for (const { path, node } of masks) {
    const old = formerNodes.get(keyOf(path))
    // The former text may have had the placeholder itself as a value, which is then kept.
    if (old !== undefined && (isSecret({ path, node: old }) || old.value === placeholder)) back.set(node, old)
  }
  const strays = masks.filter(({ node }) => !back.has(node)).map(({ path }) => path)
  // Through an alias, the value of a secret key may also be the value of another key, where it would be shown.
  const secretNodes = new Set(scalars.filter(({ path }) => isSecretKey(path)).map(({ node }) => node))
  const references = scalars.filter(({ path, node }) => {
    const isReference = (secretNodes.has(node) && !isSecretKey(path)) || hasVariable(node.value)
    return isReference && formerNodes.get(keyOf(path))?.value !== (back.get(node) ?? node).value
  })
  const inLines = withReplaced(
    text,
    [...back].map(([node, { value }]) => [node, quotedOf(String(value))] as const),
  )
  const whole = await putBack({ text, scalars, before, back, inLines })
  return { text: whole, inLines, strays, references: references.map(({ path }) => path) }
}

interface PuttingBack {
  readonly text: string
  /** The scalars of `text`. */
  readonly scalars: readonly PlacedScalar[]
  readonly before: string
  /** Each placeholder's node, and the former node with its secret. */
  readonly back: ReadonlyMap<Node, Node>
  readonly inLines: string
}

/**
 * Restores secrets as they were written, if that yields the same values as before. Otherwise returns `inLines`, with
 * the secrets in quotes.
 */
async function putBack({ text, scalars, before, back, inLines }: PuttingBack): Promise<string> {
  if (back.size === 0) return text
  const asWritten = [...back].map(([node, old]) => {
    const written = before.slice(old.range[0], old.range[1])
    // A block scalar includes the line break at its end, which the text may already have.
    return [node, text[node.range[1]] === '\n' ? written.replace(/\n$/, '') : written] as const
  })
  const result = withReplaced(text, asWritten)
  const expected = [...back.values()].map(({ value }) => value)
  const actual = await valuesAt(result, pathsOf(scalars, [...back.keys()]))
  return isDeepStrictEqual(actual, expected) ? result : inLines
}

/** For each of these nodes, one of the paths at which it is the value. */
function pathsOf(scalars: readonly PlacedScalar[], nodes: readonly Node[]): string[] {
  const byOffset = new Map(scalars.map(({ path, node }) => [node.range[0], keyOf(path)]))
  return nodes.map(({ range }) => byOffset.get(range[0]) ?? '')
}

async function valuesAt(text: string, paths: readonly string[]): Promise<unknown[]> {
  const values = byPath((await scalarsOf(text)) ?? [])
  return paths.map((path) => values.get(path)?.value)
}

function isSecret({ path, node: { value } }: PlacedScalar): boolean {
  if (value === null || (typeof value === 'string' && isOneVariable(value))) return false
  return isSecretKey(path) || (typeof value === 'string' && isUnknownKey(path))
}

/** A variable with a default does not count, because the default could be a secret. */
function isOneVariable(value: string): boolean {
  return /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(value)
}

/** `$${` is an escaped `${`, which does not begin a variable. */
function hasVariable(value: unknown): boolean {
  return typeof value === 'string' && value.replaceAll('$${', '').includes('${')
}

/** The first of several duplicate keys applies, as everywhere in Iris. */
function byPath(scalars: readonly PlacedScalar[]): Map<string, Node> {
  return new Map(scalars.toReversed().map(({ path, node }) => [keyOf(path), node]))
}

function keyOf(path: KeyPath): string {
  return JSON.stringify(path)
}

function quotedOf(value: string): string {
  return JSON.stringify(value)
}

type Replacement = readonly [node: Node, written: string]

function withReplaced(text: string, replacements: readonly Replacement[]): string {
  const inOrder = replacements.toSorted(([a], [b]) => a.range[0] - b.range[0])
  let [result, at] = ['', 0]
  for (const [{ range, type }, written] of inOrder) {
    const [start, end] = range
    const endsLine = type?.startsWith('BLOCK') && text[end - 1] === '\n'
    result += text.slice(at, start) + written + (endsLine ? '\n' : '')
    at = end
  }
  return result + text.slice(at)
}
