import { isRecord } from '../../base/lib/is-record.ts'

/** The way to a value in a JSON document: names, and numbers of items, with dots between them. */
export const pathPattern = /^[\w$@-]+(?:\.[\w$@-]+)*$/

/** A part of a template: text of the owner, or the path of a value. */
export type TemplatePart = string | { readonly path: string }

const placeholder = /\{\{\s*([\w$@.-]+)\s*\}\}/

/** Splits a template at each `{{ path }}`. Undefined: a `{{` in it begins no path. */
export function templateParts(template: string): readonly TemplatePart[] | undefined {
  // `split` with a group gives texts and paths in turn.
  const parts = template
    .split(new RegExp(placeholder, 'g'))
    .map((part, index) => (index % 2 === 0 ? part : { path: part }))
  const isGood = parts.every((part) => (typeof part === 'string' ? !part.includes('{{') : pathPattern.test(part.path)))
  return isGood ? parts : undefined
}

/** The paths of a template, each once. */
export function pathsOf(template: string): readonly string[] {
  const paths = (templateParts(template) ?? []).flatMap((part) => (typeof part === 'string' ? [] : [part.path]))
  return [...new Set(paths)]
}

/** The value at a path, null included; undefined: there is none. Only the document's own keys count. */
export function valueAtPath(document: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined
    return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }, document)
}
