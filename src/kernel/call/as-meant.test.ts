import { expect, test } from 'vitest'
import { z } from 'zod'
import { asMeant } from './as-meant.ts'

const schema = z.object({
  message: z.string(),
  timeout: z.number().int().optional(),
  thread: z.string().min(1).optional(),
  note: z.string().optional(),
  raw: z.boolean().optional(),
  budget: z.object({ turns: z.number().optional(), cost: z.number().optional() }).optional(),
  teams: z.union([z.string(), z.array(z.string())]).optional(),
})

test.each<[string, unknown, unknown]>([
  ['null in an optional argument', { message: 'hi', timeout: null, budget: null }, { message: 'hi' }],
  ['an empty text where none fits', { message: 'hi', thread: '', timeout: '' }, { message: 'hi' }],
  ['a number as text', { message: '12', timeout: '-1' }, { message: '12', timeout: -1 }],
  ['a boolean as text', { message: 'hi', raw: 'true' }, { message: 'hi', raw: true }],
  ['the same in an object', { budget: { turns: '3', cost: null } }, { budget: { turns: 3 } }],
])('read is %s', (_, input, meant) => {
  expect(asMeant(schema, input)).toEqual(meant)
})

test.each<[string, unknown]>([
  ['an empty text that fits', { message: '', note: '' }],
  ['null in a required argument', { message: null }],
  ['a text that is no number', { timeout: '0x10' }],
  ['a number that does not fit', { timeout: '1.5' }],
  ['what every object inherits', { constructor: 1, budget: { valueOf: 'x' } }],
  ['an argument that nobody knows', { message: 'hi', tiemout: null }],
  ['no object at all', 'text'],
])('left as it is: %s', (_, input) => {
  expect(asMeant(schema, input)).toEqual(input)
})
