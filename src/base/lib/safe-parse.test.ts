import { expect, test } from 'vitest'
import { z } from 'zod'
import { safeParse } from './safe-parse.ts'

const Named = z.strictObject({ name: z.string().max(5) })

test.each([
  ['whose length is an object without methods', Object.assign(Object.create(null), { length: Object.create(null) })],
  ['whose length hides its methods', JSON.parse('{"length":{"toString":1,"valueOf":1}}')],
])('an object in the place of text %s is refused, not thrown about', (_, name) => {
  const parsed = safeParse(Named, { name })
  expect(parsed.error?.issues[0]).toMatchObject({ code: 'invalid_type', path: ['name'] })
})

test('what another form of the schema accepts is left as it came', () => {
  const text = '{"any":{"length":{"toString":1,"valueOf":1}}}'
  const Either = z.strictObject({ any: z.union([z.string().max(5), z.record(z.string(), z.unknown())]) })
  expect(JSON.stringify(safeParse(Either, JSON.parse(text)).data)).toBe(text)
})

test('an error of a schema itself is no refusal', () => {
  const broken = z.unknown().transform(() => {
    throw new RangeError('broken')
  })
  expect(() => safeParse(broken, 1)).toThrow('broken')
})
