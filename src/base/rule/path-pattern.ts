import { RuleMistake } from './rule-mistake.ts'

/** The base of a rule's paths: the root directory, the user's home, or the project. */
export type PathBase = 'root' | 'home' | 'project'

/** The content of `Edit(…)` and `Read(…)`: a pattern as in .gitignore, below a base. */
export interface PathPattern {
  readonly base: PathBase
  /** `relative` is relative to the base, without a leading slash. A matching directory includes everything below it. */
  readonly matches: (relative: string) => boolean
}

export function pathPattern(content: string): PathPattern {
  if (content.startsWith('!')) throw new RuleMistake('begins with !, but a rule cannot make exceptions')
  const { base, rest } = based(content)
  const segments = rest.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.includes('..')) throw new RuleMistake('contains .., so it is unclear where it leads')
  if (segments.length === 0) throw new RuleMistake('names no path; to match everything, use **')
  // As in .gitignore, a name without a slash matches at any depth.
  const anywhere = base === 'project' && segments.length === 1 && segments[0] !== '**' && !/^(?:\.?\/)/.test(content)
  const expression = compiled(`^${anywhere ? anyDepth : ''}${segments.map(piece).join('')}$`)
  const everything = segments.length === 1 && segments[0] === '**'
  return {
    base,
    matches: (relative) => (relative === '' ? everything : expression.test(`${relative}/`)),
  }
}

function compiled(expression: string): RegExp {
  try {
    return new RegExp(expression, 'su')
  } catch {
    throw new RuleMistake('has brackets with a reversed range')
  }
}

function based(content: string): { base: PathBase; rest: string } {
  if (content.startsWith('//')) return { base: 'root', rest: content.slice(2) }
  if (content === '~' || content.startsWith('~/')) return { base: 'home', rest: content.slice(1) }
  return { base: 'project', rest: content }
}

const anyDepth = '(?:[^/]+/)*'

/** Here each segment of a path ends with a slash. The last segment of a pattern also matches everything below it. */
function piece(segment: string, index: number, all: readonly string[]): string {
  const isLast = index === all.length - 1
  if (segment === '**') return isLast ? '(?:[^/]+/)+' : anyDepth
  return `${segmentExpression(segment)}/${isLast ? anyDepth : ''}`
}

function segmentExpression(segment: string): string {
  return segment.replace(/\\(.)|\*+|\?|\[([!^]?)([^\]]+)\]|./gsu, (token, escaped, negation, set) => {
    if (escaped !== undefined) return literal(escaped)
    if (token.startsWith('*')) return '[^/]*'
    if (token === '?') return '[^/]'
    if (set !== undefined) return `(?!/)[${negation ? '^' : ''}${set.replace(/[\\[\]^]/g, '\\$&')}]`
    return literal(token)
  })
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
}
