import { isRecord } from '../../base/lib/is-record.ts'

/** The path to a value in a JSON document: names and item numbers, separated by dots. */
export const pathPattern = /^[\w$@-]+(?:\.[\w$@-]+)*$/

/** A part of a template: the owner's text, or the path of a value. */
export type TemplatePart = string | { readonly path: string }

const placeholder = /\{\{\s*([\w$@.-]+)\s*\}\}/

/** Splits a template at each `{{ path }}`. Undefined if a `{{` does not begin a path. */
export function templateParts(template: string): readonly TemplatePart[] | undefined {
  // Because the pattern has a group, `split` returns texts and paths alternately.
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

/** The value at a path, which may be null; undefined if there is none. Only the document's own keys count. */
export function valueAtPath(document: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined
    return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }, document)
}
