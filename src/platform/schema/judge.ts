import { tooLargeValue } from './bounds.ts'
import { compile, type Validator } from './validator.ts'

/** How a value stands to a schema. */
export type Judged = { readonly value: unknown } | { readonly errors: readonly string[] }

const cacheSize = 20
const compiled = new Map<string, Validator>()

/** The schemas of late, so that an answer need not compile what its ask did. Throws `SchemaMistake`. */
export function validatorOf(schema: unknown): Validator {
  const text = JSON.stringify(schema)
  const validator = compiled.get(text) ?? compile(schema)
  compiled.delete(text)
  compiled.set(text, validator)
  if (compiled.size > cacheSize) compiled.delete(compiled.keys().next().value!)
  return validator
}

/**
 * Judges a value. Some clients give a JSON value as the text of it: a text that the schema does not take is parsed once,
 * and what comes of that is judged.
 */
export function judge(schema: unknown, given: unknown): Judged {
  const validate = validatorOf(schema)
  const errors = validate(given)
  if (errors.length === 0) return { value: given }
  const parsed = typeof given === 'string' ? parsedOnce(given) : undefined
  if (parsed === undefined) return { errors }
  const tooLarge = tooLargeValue(parsed.value)
  const errorsOfParsed = tooLarge === undefined ? validate(parsed.value) : [tooLarge]
  return errorsOfParsed.length === 0 ? parsed : { errors: errorsOfParsed }
}

function parsedOnce(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
