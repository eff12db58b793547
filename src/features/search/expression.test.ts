import { expect, test } from 'vitest'
import { expressionOf } from './expression.ts'

test.each([
  ['order', '"order" *'],
  ['order fields', '"order" * AND "fields" *'],
  ['"order fields"', '"order fields"'],
  ['"order fields', '"order fields"'],
  ['say "an order" twice', '"say" * AND "an order" AND "twice" *'],
  ['order_id, x', '"order_id," AND "x" *'],
  ['NOT NEAR(a) col:b *', '"NOT" * AND "NEAR(a)" AND "col:b" *'],
  ['a\0b', '"a" * AND "b" *'],
  ['żółć 訂單', '"żółć" * AND "訂\u001f單" *'],
  ['API訂單', '"API\u001f訂\u001f單" *'],
  ['"コーヒーを飲む"', '"コ\u001fー\u001fヒ\u001fー\u001fを\u001f飲\u001fむ"'],
  ['"', undefined],
  ['+ - 🎉', undefined],
  ['', undefined],
])('%j is looked for as %s', (typed, expression) => {
  expect(expressionOf(typed)?.all).toBe(expression)
})

test('of very many quoted words the first are looked for', () => {
  expect(expressionOf(`x "${'a '.repeat(500)}" y`)?.all).toBe(`"x" * AND "${'a '.repeat(31).trim()}"`)
})

test('of very many words the first are looked for', () => {
  expect(expressionOf('a '.repeat(500))?.all.split(' AND ')).toHaveLength(32)
})
