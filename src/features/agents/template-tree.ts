import { TemplateError } from './template-error.ts'
import { type Expression, expressionOf } from './template-expression.ts'
import { type Token, tokensOf } from './template-tokens.ts'

export type Template = readonly Node[]

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: Expression }
  | { readonly kind: 'partial'; readonly name: string }
  | { readonly kind: 'if'; readonly test: Expression; readonly body: Template; readonly otherwise: Template }
  | { readonly kind: 'each'; readonly list: Expression; readonly body: Template; readonly otherwise: Template }

type Tag = Extract<Token, { kind: 'tag' }>

const deepest = 30

/**
 * Parses a template in the part of Handlebars' language that docs/guide/agents.md describes. Handlebars itself compiles
 * templates to code, and some templates of 64 KB would block the daemon for minutes. Throws a TemplateError with the
 * line.
 */
export function parseTemplate(source: string): Template {
  return new TreeReader(tokensOf(source)).all()
}

class TreeReader {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  all(): Template {
    const nodes = this.#nodes(0)
    const rest = this.#peek()
    if (rest === undefined) return nodes
    throw at(rest, `{{${short(rest.tag)}}} belongs to no block`)
  }

  /** Reads up to a tag of the enclosing block: `else`, or the tag that ends the block. */
  #nodes(depth: number): Template {
    const nodes: Node[] = []
    for (;;) {
      const token = this.#tokens[this.#at]
      if (token === undefined) return nodes
      if (token.kind === 'tag' && /^(?:\/|else\b|\^)/.test(token.tag)) return nodes
      this.#at++
      nodes.push(token.kind === 'text' ? token : this.#tag(token, depth))
    }
  }

  #tag(tag: Tag, depth: number): Node {
    const [, mark = '', rest = ''] = /^([#>]?)([^]*)$/.exec(tag.tag)!
    if (mark === '#') return this.#block(tag, rest, depth + 1)
    if (mark === '>') return { kind: 'partial', name: rest.trim() }
    return { kind: 'value', value: expressionAt(tag, rest) }
  }

  #block(tag: Tag, opening: string, depth: number): Node {
    if (depth > deepest) throw at(tag, `there are over ${deepest} blocks inside each other`)
    const [, name = '', rest = ''] = /^(\S*)([^]*)$/.exec(opening.trim())!
    if (!blockNames.has(name)) throw at(tag, `there is no block {{#${short(name)}}}; use if, unless or each`)
    const value = expressionAt(tag, rest)
    const body = this.#nodes(depth)
    const otherwise = this.#otherwise(tag, name, depth)
    if (name === 'each') return { kind: 'each', list: value, body, otherwise }
    const test: Expression = name === 'unless' ? { kind: 'helper', name: 'not', args: [value] } : value
    return { kind: 'if', test, body, otherwise }
  }

  /** Reads what follows `else`, and the block's end. */
  #otherwise(tag: Tag, name: string, depth: number): Template {
    const next = this.#peek()
    if (next === undefined) throw at(tag, `{{#${name}}} is not closed`)
    this.#at++
    if (next.tag.startsWith('/')) {
      if (next.tag.slice(1).trim() === name) return []
      throw at(next, `{{${short(next.tag)}}} is where {{/${name}}} should be`)
    }
    const chained = /^else\s+if\s([^]*)$/.exec(next.tag)
    if (chained) {
      if (depth > deepest) throw at(next, `there are over ${deepest} blocks inside each other`)
      const test = expressionAt(next, chained[1]!)
      const body = this.#nodes(depth)
      return [{ kind: 'if', test, body, otherwise: this.#otherwise(tag, name, depth + 1) }]
    }
    if (next.tag !== 'else') throw at(next, `{{${short(next.tag)}}} is neither else nor else if`)
    const nodes = this.#nodes(depth)
    const end = this.#peek()
    if (end?.tag === 'else' || end?.tag.startsWith('else ')) throw at(end, `{{#${name}}} has a second else`)
    return [...nodes, ...this.#otherwise(tag, name, depth)]
  }

  #peek(): Tag | undefined {
    const token = this.#tokens[this.#at]
    return token?.kind === 'tag' ? token : undefined
  }
}

const blockNames = new Set(['if', 'unless', 'each'])

function expressionAt(tag: Tag, text: string): Expression {
  try {
    return expressionOf(text)
  } catch (error) {
    throw error instanceof TemplateError ? at(tag, `{{${short(tag.tag)}}}: ${error.message}`) : error
  }
}

function at({ line }: Tag, problem: string): TemplateError {
  return new TemplateError(`line ${line}: ${problem}`)
}

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
