const kinds: Partial<Record<string, string>> = { string: 'text', array: 'a list', boolean: 'true or false' }

/** Returns text such as `is text where a number belongs`; `mapping` is the word for an object. */
export function wrongKind(expected: string, value: unknown, mapping: string): string {
  const isNumber = expected === 'number' || expected === 'int'
  if (isNumber && typeof value === 'number') return 'is not a whole number'
  return `is ${kindOf(value, mapping)} where ${isNumber ? 'a number' : (kinds[expected] ?? mapping)} belongs`
}

function kindOf(value: unknown, mapping: string): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return `the word ${value}`
  return typeof value === 'number' ? 'a number' : mapping
}
