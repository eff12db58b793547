import { afterAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../base/lib/clock.ts'
import { Schemas } from './schemas.ts'

const schemas = new Schemas(systemClock)
afterAll(() => schemas.close())

const refused = (schema: unknown) =>
  schemas.check(schema, 'responseSchema').then(
    () => 'taken',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  )
const judged = (schema: unknown, value: unknown) => schemas.judge(schema, value, 'responseSchema')

describe('a schema is taken', () => {
  test.each([
    ['plain', { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] }],
    ['recursive', { type: 'array', items: { $ref: '#' } }],
    [
      'with an $id and a reference to it',
      { $id: 'https://x.test/a', $ref: 'https://x.test/a#/$defs/b', $defs: { b: {} } },
    ],
    ['with a format and a keyword that nobody knows', { type: 'string', format: 'colour', 'x-of': 1 }],
    ['that names its dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' }],
    [
      'recursive in several ways',
      {
        $ref: '#/$defs/tree',
        $defs: {
          tree: {
            anyOf: [{ type: 'null' }, { properties: { left: { $ref: '#/$defs/tree' }, other: { $ref: '#two' } } }],
          },
          two: { $anchor: 'two', prefixItems: [{ $ref: '#' }], if: { $ref: '#/$defs/tree' } },
        },
      },
    ],
    ['with a name and a value that look like references', { properties: { $ref: { const: { $ref: '#' } } } }],
    ['with a loop that nothing reaches', { $defs: { a: { $ref: '#/$defs/a' } } }],
    ['with a pattern', { type: 'string', pattern: '^[a-z]+(-[a-z]+)*$' }],
  ])('%s', async (_what, schema) => {
    expect(await refused(schema)).toBe('taken')
  })
})

describe('a schema is refused', () => {
  test.each([
    ['of a megabyte', { description: 'x'.repeat(1 << 20) }, /1048\d+ bytes; at most 65536/],
    ['nested too deep', nested(40), /more than 32 levels/],
    [
      'with a remote reference',
      { $ref: 'https://example.com/schema.json' },
      /\$ref "https:\/\/example.com\/schema.json" is not/,
    ],
    ['of another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, /another dialect/],
    ['with a type that does not exist', { type: 'integr' }, /\/type/],
    ['with a lookahead', { type: 'string', pattern: '^(?=a)b$' }, /pattern "\^\(\?=a\)b\$" cannot be used/],
    ['with a back reference', { type: 'string', pattern: '(a)\\1' }, /cannot be used/],
    ['that asks for promises', { $async: true, type: 'string' }, /\$async/],
    ['that is a list', [], /not an object/],
    ['that leads to itself', { $ref: '#' }, /\$ref "#" leads back to itself for the same value/],
    ['that leads to itself in a list', { type: 'object', allOf: [{}, { $ref: '#' }] }, /"#" leads back/],
    ['that leads to itself if', { if: { type: 'null' }, else: { anyOf: [{ $ref: '#' }] } }, /"#" leads back/],
    [
      'that leads to itself in parts of the value',
      { properties: { a: { items: { not: { $ref: '#/properties/a/items' } } } } },
      /items" leads back/,
    ],
    [
      'that leads to itself by way of others',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#b' }, b: { $anchor: 'b', oneOf: [{ $ref: '#/$defs/a' }] } } },
      /leads back/,
    ],
    [
      'that leads to itself by its $id, and by a dynamic anchor',
      { $id: 'https://x.test/a', properties: { a: { $id: 'b', $dynamicAnchor: 'c', $dynamicRef: '#c' } } },
      /"#c" leads back/,
    ],
    [
      'that leads to itself in a place that no keyword names',
      { 'x-a': { b: { $ref: '#/x-a/b' } }, $ref: '#/x-a/b' },
      /leads back/,
    ],
  ])('%s', async (_what, schema, why) => {
    expect(await refused(schema)).toMatch(/^schema_invalid: responseSchema is not a JSON Schema/)
    expect(await refused(schema)).toMatch(why)
  })
})

describe('a value', () => {
  const port = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] }

  test('is judged with the path of each mistake', async () => {
    expect(await judged(port, { port: 1615 })).toEqual({ value: { port: 1615 } })
    expect(await judged(port, { port: 'x' })).toEqual({ errors: ['/port: must be integer'] })
    expect(await judged(port, {})).toEqual({ errors: ["/: must have required property 'port'"] })
    const closed = { ...port, additionalProperties: false }
    expect(await judged(closed, { port: 1, more: 2 })).toEqual({
      errors: ['/: must NOT have additional properties: "more"'],
    })
  })

  test('that came as text is parsed once, where the schema takes no such text', async () => {
    expect(await judged(port, '{"port":1}')).toEqual({ value: { port: 1 } })
    expect(await judged(port, '"{\\"port\\":1}"')).toEqual({ errors: ['/: must be object'] })
    expect(await judged(port, 'no JSON')).toEqual({ errors: ['/: must be object'] })
    expect(await judged({ type: 'string' }, '{"port":1}')).toEqual({ value: '{"port":1}' })
    expect(await judged({ type: 'null' }, 'null')).toEqual({ value: null })
  })

  test('that is too large or too deep is not looked at', async () => {
    expect(await judged({}, 'x'.repeat(10 << 20))).toEqual({
      errors: [expect.stringMatching(/bytes; at most 1048576/)],
    })
    expect(await judged({}, nested(100))).toEqual({ errors: [expect.stringMatching(/more than 64 levels/)] })
  })

  test('a pattern that would backtrack for hours is linear', async () => {
    const schema = { type: 'string', pattern: '^(a+)+$' }
    const answer = await judged(schema, `${'a'.repeat(50_000)}!`)
    expect('errors' in answer && answer.errors).toEqual([expect.stringContaining('must match')])
  })

  test('that takes for ever is given up, and the next one is judged by another thread', async () => {
    // Each level doubles the work.
    const doubling = { items: { allOf: [{ $ref: '#' }, { $ref: '#' }] } }
    expect(await judged(doubling, nested(60))).toEqual({
      errors: [expect.stringContaining('took longer than 1 s of processor time')],
    })
    expect(await judged(port, { port: 1 })).toEqual({ value: { port: 1 } })
  })

  test('that waits too long for a processor is given up for that reason', async () => {
    // Ten seconds of this clock pass before the thread has used one second.
    const hasty = new Schemas({ after: (_ms, then) => cancelOf(setImmediate(then)) })
    const doubling = { items: { allOf: [{ $ref: '#' }, { $ref: '#' }] } }
    expect(await hasty.judge(doubling, nested(60), 'x')).toEqual({
      errors: ['Judging it was not finished within 10 s.'],
    })
  })

  test('is judged by each of several patterns', async () => {
    const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } }
    expect(await judged(schema, { a: 'a', b: 'a' })).toEqual({ errors: ['/b: must match pattern "^b$"'] })
  })

  test('a reference within one schema is not known to another', async () => {
    await schemas.check({ $id: 'https://x.test/one', $defs: { a: { type: 'string' } } }, 'x')
    expect(await refused({ $ref: 'https://x.test/one#/$defs/a' })).toContain('is not in the schema')
  })
})

function cancelOf(timer: NodeJS.Immediate): () => void {
  return () => clearImmediate(timer)
}

function nested(levels: number): unknown {
  let value: unknown = []
  for (let level = 1; level < levels; level++) value = [value]
  return value
}
