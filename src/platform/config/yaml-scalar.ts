import { type Document, isScalar, type Scalar } from 'yaml'
import type { Environment } from './home.ts'
import { type Interpolated, interpolate } from './interpolate.ts'
import { quoted } from './problem.ts'

type Tags = Document['schema']['tags']

export interface ScalarValue {
  /** Undefined where there are mistakes. */
  readonly value: unknown
  /** For messages: never what came from the environment. */
  readonly shown: string | null
  readonly mistakes: Interpolated['mistakes']
}

/**
 * A scalar with its variables replaced. One that is a variable and nothing else, without quotes, gets the type that its
 * text has in YAML. With `asText` numbers and booleans stay as they are written (`0x10`, `1.0`).
 */
export function readScalar(node: Scalar, tags: Tags, env: Environment, asText: boolean): ScalarValue {
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

/** Dates of YAML 1.1, `!!binary` and their like. */
function notConfiguration({ tag }: Scalar) {
  return {
    written: tag?.replace('tag:yaml.org,2002:', '!!') ?? '',
    problem: 'is of a kind that a configuration has no use for',
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
