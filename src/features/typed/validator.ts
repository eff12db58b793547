import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { endlessReference } from './endless.ts'

/** What is wrong with a schema. */
export class SchemaMistake extends Error {}

/** A model benefits from several errors at once, but not from a thousand. */
const maxErrors = 20
const maxError = 300

/** Returns the errors of a value, each with its path; empty if it is valid. */
export type Validator = (value: unknown) => readonly string[]

/** Compiles a schema of the dialect 2020-12. Fetches nothing, and no pattern backtracks. Throws `SchemaMistake`. */
export function compile(schema: unknown): Validator {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new SchemaMistake('It is not an object.')
  // Ajv would return a promise, which is always truthy.
  if ('$async' in schema) throw new SchemaMistake('/$async: is not a keyword of JSON Schema.')
  const endless = endlessReference(schema as Record<string, unknown>)
  if (endless !== undefined)
    throw new SchemaMistake(
      `$ref ${JSON.stringify(endless)} leads back to itself for the same value, so judging never ends.`,
    )
  let validate: ValidateFunction
  try {
    validate = newAjv().compile(schema)
  } catch (error) {
    throw error instanceof SchemaMistake ? error : new SchemaMistake(reworded(error))
  }
  return (value) => (validate(value) === true ? [] : (validate.errors ?? []).slice(0, maxErrors).map(errorText))
}

/** One instance per schema: the `$id` of one must not be visible to another. */
function newAjv(): Ajv2020 {
  const linear = Object.assign(linearPattern, { code: 'linearPattern' })
  return new Ajv2020({
    allErrors: true,
    // As the specification says: unknown keywords are ignored, and formats are annotations.
    strict: false,
    validateFormats: false,
    // Inlining would enlarge the code of a schema that references one part many times.
    inlineRefs: false,
    logger: false,
    code: { regExp: linear },
  })
}

/** Compiles a pattern for RE2, which matches in linear time. Throws `SchemaMistake` for an unsupported one. */
function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    // Ajv treats two patterns with the same name as one.
    return { test: (text) => compiled.matcher(text).find(), toString: () => `re2:${pattern}` }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new SchemaMistake(
      `The pattern ${JSON.stringify(pattern)} cannot be used (${why}). Lookahead, lookbehind and back references are not supported.`,
    )
  }
}

function reworded(error: unknown): string {
  const { message, missingRef } = error as Error & { missingRef?: string }
  if (missingRef !== undefined) return `$ref ${JSON.stringify(missingRef)} is not in the schema; nothing is fetched.`
  if (message.startsWith('no schema with key or ref'))
    return '$schema names another dialect. Leave it out, or name https://json-schema.org/draft/2020-12/schema.'
  return `${message.replace('schema is invalid: data', 'It is no JSON Schema: ')}.`
}

function errorText({ instancePath, message = 'is invalid', params }: ErrorObject): string {
  const more = ['additionalProperty', 'unevaluatedProperty', 'allowedValues', 'allowedValue'].flatMap((name) =>
    params[name] === undefined ? [] : [`: ${JSON.stringify(params[name])}`],
  )
  const text = `${instancePath || '/'}: ${message}${more.join('')}`
  return text.length > maxError ? `${text.slice(0, maxError).toWellFormed()}…` : text
}
