import { TemplateError } from './template-error.ts'
import { helpers } from './template-helpers.ts'

/** The content of a tag: a value, or a helper with its arguments. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null | undefined }
  | { readonly kind: 'path'; readonly up: number; readonly head: Head; readonly names: readonly string[] }
  | { readonly kind: 'helper'; readonly name: string; readonly args: readonly Expression[] }

/** Where a path begins: at the current context, at the whole context, or at a variable of the loop. */
const heads = ['this', '@root', '@index', '@key', '@first', '@last'] as const
export type Head = (typeof heads)[number]

const deepest = 20
const words = /\s*(?:([()])|"([^"]*)"|'([^']*)'|([^\s()"']+))/y
const literals = new Map<string, boolean | null | undefined>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
])

/** Reads `name`, `list.0.name`, `../name`, `"text"`, `12`, or `helper argument (helper argument)`. */
export function expressionOf(text: string): Expression {
  const reader = new ExpressionReader(text.trim())
  return reader.all()
}

type Word =
  | { readonly kind: 'bracket'; readonly text: string }
  | { readonly kind: 'quoted'; readonly text: string }
  | { readonly kind: 'bare'; readonly text: string }

class ExpressionReader {
  readonly #words: readonly Word[]
  #at = 0

  constructor(text: string) {
    this.#words = [...wordsOf(text)]
  }

  all(): Expression {
    const expression = this.#call(0)
    if (this.#at < this.#words.length) throw new TemplateError('a ) closes nothing')
    return expression
  }

  /** Reads a value, or a helper with its arguments up to the closing bracket. */
  #call(depth: number): Expression {
    if (depth > deepest) throw new TemplateError(`there are over ${deepest} brackets inside each other`)
    const first = this.#words[this.#at]
    if (first === undefined) throw new TemplateError('there is nothing in it')
    const args: Expression[] = []
    if (first.kind === 'bare') this.#at++
    while (this.#at < this.#words.length && !this.#isClosing()) args.push(this.#value(depth))
    if (first.kind === 'bare') return args.length === 0 ? valueOf(first.text) : helperOf(first.text, args)
    const [only] = args
    if (only === undefined) throw new TemplateError('there is nothing in it')
    if (args.length > 1) throw new TemplateError('only a helper takes arguments')
    return only
  }

  #value(depth: number): Expression {
    const word = this.#words[this.#at++]!
    if (word.kind === 'quoted') return { kind: 'literal', value: word.text }
    if (word.kind === 'bare') return valueOf(word.text)
    const inner = this.#call(depth + 1)
    if (!this.#isClosing()) throw new TemplateError('a ( is not closed')
    this.#at++
    return inner
  }

  #isClosing(): boolean {
    const word = this.#words[this.#at]
    return word?.kind === 'bracket' && word.text === ')'
  }
}

function* wordsOf(text: string): Generator<Word> {
  words.lastIndex = 0
  for (let at = 0; at < text.length; at = words.lastIndex) {
    words.lastIndex = at
    const found = words.exec(text)
    if (found === null) throw new TemplateError('a text in quotes is not closed')
    const [, bracket, double, single, bare] = found
    const quoted = double ?? single
    if (bracket !== undefined) yield { kind: 'bracket', text: bracket }
    else if (quoted !== undefined) yield { kind: 'quoted', text: quoted }
    else yield { kind: 'bare', text: bare! }
  }
}

function helperOf(name: string, args: readonly Expression[]): Expression {
  if (!helpers.has(name)) {
    throw new TemplateError(`there is no helper ${shown(name)}; the helpers are ${[...helpers.keys()].join(', ')}`)
  }
  return { kind: 'helper', name, args }
}

function valueOf(word: string): Expression {
  if (literals.has(word)) return { kind: 'literal', value: literals.get(word) }
  if (/^-?\d+(?:\.\d+)?$/.test(word)) return { kind: 'literal', value: Number(word) }
  return pathOf(word)
}

function pathOf(word: string): Expression {
  let rest = word
  let up = 0
  for (; rest.startsWith('../'); rest = rest.slice(3)) up++
  if (rest === '..') return { kind: 'path', up: up + 1, head: 'this', names: [] }
  if (rest === '.') return { kind: 'path', up, head: 'this', names: [] }
  const names = rest.replace(/^\.\//, '').split(/[./]/)
  const head = heads.find((known) => known === names[0])
  const path = head === undefined ? names : names.slice(1)
  if (!path.every((name) => /^[\w$-]+$/.test(name))) throw new TemplateError(`${shown(word)} is not a variable name`)
  return { kind: 'path', up, head: head ?? 'this', names: path }
}

function shown(word: string): string {
  return JSON.stringify(word.length > 40 ? `${word.slice(0, 40)}…` : word)
}
