import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'

/** What is wrong with a schema. */
export class SchemaMistake extends Error {}

/** Several mistakes help a model more than one, and a thousand less than twenty. */
const mostErrors = 20
const longestError = 300

/** The errors of a value, each with its path; none: it is valid. */
export type Validator = (value: unknown) => readonly string[]

/** Compiles a schema of the dialect 2020-12. Throws `SchemaMistake`. Nothing is fetched, and no pattern backtracks. */
export function compile(schema: unknown): Validator {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new SchemaMistake('It is not an object.')
  // Ajv would answer with a promise, and every promise counts as true.
  if ('$async' in schema) throw new SchemaMistake('/$async: is not a keyword of JSON Schema.')
  let validate: ValidateFunction
  try {
    validate = newAjv().compile(schema)
  } catch (error) {
    throw error instanceof SchemaMistake ? error : new SchemaMistake(reworded(error))
  }
  return (value) => (validate(value) === true ? [] : (validate.errors ?? []).slice(0, mostErrors).map(errorText))
}

/** One for each schema: an `$id` of one must not be known to another. */
function newAjv(): Ajv2020 {
  const linear = Object.assign(linearPattern, { code: 'linearPattern' })
  return new Ajv2020({
    allErrors: true,
    // As the specification has it: what is unknown says nothing, and a format is a remark.
    strict: false,
    validateFormats: false,
    // A schema that names one part a thousand times stays as small as it was.
    inlineRefs: false,
    logger: false,
    code: { regExp: linear },
  })
}

/** A pattern for an engine that never looks at a character twice. Throws `SchemaMistake` for what that cannot do. */
function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    // Ajv takes two patterns of one name for the same.
    return { test: (text) => compiled.matcher(text).find(), toString: () => `re2:${pattern}` }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new SchemaMistake(
      `The pattern ${JSON.stringify(pattern)} cannot be used (${why}). Lookahead, lookbehind and back references are not known here.`,
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
  return text.length > longestError ? `${text.slice(0, longestError).toWellFormed()}…` : text
}
