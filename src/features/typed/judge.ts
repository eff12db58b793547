import type { JudgedValue } from '../../kernel/turn/message-contracts.ts'
import { whyValueTooLarge } from './bounds.ts'
import { compile, type Validator } from './validator.ts'

const cacheSize = 20
const compiled = new Map<string, Validator>()

/** Caches recently used schemas, so that an answer reuses what its ask compiled. Throws `SchemaMistake`. */
export function validatorOf(schema: unknown): Validator {
  const text = JSON.stringify(schema)
  const validator = compiled.get(text) ?? compile(schema)
  compiled.delete(text)
  compiled.set(text, validator)
  if (compiled.size > cacheSize) compiled.delete(compiled.keys().next().value!)
  return validator
}

/**
 * Validates a value. Some clients send JSON as a string: a string that the schema refuses is parsed once, and the
 * result is validated. Throws `SchemaMistake`.
 */
export function judge(schema: unknown, given: unknown): JudgedValue {
  const validate = validatorOf(schema)
  const errors = validate(given)
  if (errors.length === 0) return { value: given }
  const parsed = typeof given === 'string' ? parsedOnce(given) : undefined
  if (parsed === undefined) return { errors }
  const tooLarge = whyValueTooLarge(parsed.value)
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
