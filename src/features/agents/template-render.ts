import { isRecord } from '../../base/lib/is-record.ts'
import { TemplateError } from './template-error.ts'
import type { Expression } from './template-expression.ts'
import { helpers, isTrue, textOf, type Variables } from './template-helpers.ts'
import type { Node, Template } from './template-tree.ts'

/** The most characters that rendering may produce, which limits it to about 50 ms. A large diff fits twice. */
const maxWork = 3_000_000
/** The cost of one step, in characters. */
const step = 20
/** How deep partials may include each other. The limit also stops partials that include themselves. */
const deepestPartials = 3

/** Finds a partial by its name; undefined if there is none. */
export type FindPartial = (name: string) => Template | undefined

/**
 * Renders a template, which can use its variables and nothing else. Throws a TemplateError if the template does too
 * much, or uses an unknown partial.
 */
export function renderTemplate(template: Template, variables: Variables, partials: FindPartial): string {
  return new Rendering(variables, partials).text(template)
}

/**
 * What names mean at a place in the template: at the top, or in a loop. `here` is `this`; `outer` is one loop further
 * out.
 */
interface Place {
  readonly here: unknown
  readonly outer: Place | undefined
  readonly loopVariables: Readonly<Record<string, unknown>>
}

class Rendering {
  readonly #variables: Variables
  readonly #partials: FindPartial
  readonly #parts: string[] = []
  #workLeft = maxWork
  #partialDepth = 0

  constructor(variables: Variables, partials: FindPartial) {
    this.#variables = variables
    this.#partials = partials
  }

  text(template: Template): string {
    this.#all(template, { here: this.#variables, outer: undefined, loopVariables: {} })
    return this.#parts.join('')
  }

  #all(template: Template, place: Place): void {
    for (const node of template) this.#node(node, place)
  }

  #node(node: Node, place: Place): void {
    this.#work(step)
    switch (node.kind) {
      case 'text':
        return this.#say(node.text)
      case 'value':
        return this.#say(textOf(this.#value(node.value, place)))
      case 'if':
        return this.#all(isTrue(this.#value(node.test, place)) ? node.body : node.otherwise, place)
      case 'each':
        return this.#each(node, place)
      case 'partial':
        return this.#partial(node.name, place)
    }
  }

  #each(node: Extract<Node, { kind: 'each' }>, place: Place): void {
    const entries = entriesOf(this.#value(node.list, place))
    if (entries.length === 0) return this.#all(node.otherwise, place)
    this.#work(step * entries.length)
    for (const [index, [key, here]] of entries.entries()) {
      const loopVariables = {
        '@index': index,
        '@key': key,
        '@first': index === 0,
        '@last': index === entries.length - 1,
      }
      this.#all(node.body, { here, outer: place, loopVariables: loopVariables })
    }
  }

  #partial(name: string, place: Place): void {
    const template = this.#partials(name)
    if (template === undefined) throw new TemplateError(`there is no partial {{> ${name.slice(0, 40)}}}`)
    if (++this.#partialDepth > deepestPartials) throw new TemplateError('partials include each other too deeply')
    this.#all(template, place)
    this.#partialDepth--
  }

  #value(expression: Expression, place: Place): unknown {
    this.#work(step)
    if (expression.kind === 'literal') return expression.value
    if (expression.kind === 'path') return this.#lookUp(expression, place)
    const args = expression.args.map((argument) => this.#value(argument, place))
    return helpers.get(expression.name)!(args, { all: this.#variables, work: (amount) => this.#work(amount) })
  }

  #lookUp({ up, head, names }: Extract<Expression, { kind: 'path' }>, place: Place): unknown {
    let at: Place | undefined = place
    for (let level = 0; level < up; level++) at = at?.outer
    if (at === undefined) return undefined
    const start = head === 'this' ? at.here : head === '@root' ? this.#variables : at.loopVariables[head]
    return names.reduce(ownPart, start)
  }

  #say(text: string): void {
    this.#work(text.length)
    this.#parts.push(text)
  }

  #work(amount: number): void {
    this.#workLeft -= amount
    if (this.#workLeft < 0) throw new TemplateError('it does too much; use fewer or shorter loops, or less text')
  }
}

/** Only the data's own properties, never those that JavaScript gives every object. */
function ownPart(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function entriesOf(value: unknown): readonly (readonly [number | string, unknown])[] {
  if (Array.isArray(value)) return [...value.entries()]
  return isRecord(value) ? Object.entries(value) : []
}
