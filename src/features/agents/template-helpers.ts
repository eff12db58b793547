import { isRecord } from '../../base/lib/is-record.ts'

export type Variables = Readonly<Record<string, unknown>>

export interface Surroundings {
  /** The whole context, no matter where in the template the helper is used. */
  readonly all: Variables
  /** Deducts this amount from the work that the template may still do. Throws a TemplateError when no work is left. */
  readonly work: (amount: number) => void
}

type Helper = (args: readonly unknown[], surroundings: Surroundings) => unknown

/** Comparing this many characters counts as much work as writing one character. */
const comparedPerStep = 64

export const helpers: ReadonlyMap<string, Helper> = new Map<string, Helper>([
  ['eq', ([a, b], { work }) => isEqual(a, b, work)],
  ['not', ([value]) => !isTrue(value)],
  ['and', (args) => args.every(isTrue)],
  ['or', (args) => args.some(isTrue)],
  ['includes', ([where, what], { work }) => includes(where, what, work)],
  ['hasPackage', ([name], { all }) => hasPackage(name, all)],
  ['upper', ([value], { work }) => made(textOf(value).toUpperCase(), work)],
  ['lower', ([value], { work }) => made(textOf(value).toLowerCase(), work)],
  ['json', ([value], { work }) => made(JSON.stringify(value, null, 2) ?? '', work)],
])

/** As in Handlebars: an empty list is false, an empty mapping is true. */
export function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

/** A value as it is put into the text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value.map((item) => (Array.isArray(item) ? JSON.stringify(item) : textOf(item))).join(', ')
}

function isEqual(a: unknown, b: unknown, work: Surroundings['work']): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) work(a.length / comparedPerStep)
  return a === b
}

function includes(where: unknown, what: unknown, work: Surroundings['work']): boolean {
  if (isRecord(where)) return typeof what === 'string' && Object.hasOwn(where, what)
  const sought = typeof what === 'string' ? what.length : 0
  if (Array.isArray(where)) {
    work(where.length * (1 + sought / comparedPerStep))
    return where.includes(what)
  }
  if (typeof where !== 'string' || typeof what !== 'string') return false
  work((where.length * (1 + sought)) / comparedPerStep)
  return where.includes(what)
}

function hasPackage(name: unknown, all: Variables): boolean {
  return [all['dependencies'], all['devDependencies']].some(
    (list) => isRecord(list) && typeof name === 'string' && Object.hasOwn(list, name),
  )
}

/** Counts the text as work. */
function made(text: string, work: Surroundings['work']): string {
  work(text.length)
  return text
}
