import { expect, test } from 'vitest'
import { z } from 'zod'
import { inputWords } from './input-words.ts'

const schema = z
  .object({
    message: z.string(),
    toTeam: z.union([z.string(), z.array(z.string())]).optional(),
    level: z.enum(['debug', 'info', 'warn']).optional(),
    budget: z.object({ turns: z.number() }).strict().optional(),
    even: z
      .string()
      .refine((text) => text !== 'odd', 'is odd')
      .optional(),
    query: z.string().min(1).max(5).optional(),
    limit: z.number().min(1).max(200).optional(),
    share: z.number().gt(0).lt(1).optional(),
    files: z.array(z.string()).min(2).max(3).optional(),
    lone: z.array(z.string()).max(1).optional(),
    own: z.string().max(3, 'is no short name').optional(),
  })
  .strict()

test.each([
  [{}, 'message is missing'],
  [undefined, 'the input is missing'],
  [{ message: 7 }, 'message is a number where text belongs'],
  [{ message: null }, 'message is null'],
  [{ message: 'x', mesage: 'y' }, 'there is no argument "mesage": did you mean "message"?'],
  [{ message: 'x', question: 'y' }, 'there is no argument "question": it is called message now'],
  [{ message: 'x', team: 'y' }, 'there is no argument "team": it is called toTeam now'],
  [{ message: 'x', constructor: 'y' }, 'there is no argument "constructor"'],
  [{ message: 'x', zzz: 1, yyy: 2 }, 'there is no argument "zzz"; there is no argument "yyy"'],
  [{ message: 'x', level: 'foo' }, 'level is "foo", and must be debug, info or warn'],
  [{ message: 'x', toTeam: 3 }, 'toTeam is a number where text belongs'],
  [{ message: 'x', budget: 3 }, 'budget is a number where an object belongs'],
  [
    { message: 'x', budget: { turns: 'a', trns: 1 } },
    'budget.turns is text where a number belongs; there is no argument "trns" in budget',
  ],
  [{ message: 'x', even: 'odd' }, 'even: is odd'],
  [{ message: 'x', query: 'too long' }, 'query has more than 5 characters'],
  [{ message: 'x', query: '' }, 'query is empty'],
  [{ message: 'x', limit: 201 }, 'limit is more than 200'],
  [{ message: 'x', limit: 0 }, 'limit is less than 1'],
  [{ message: 'x', share: 1 }, 'share must be less than 1'],
  [{ message: 'x', share: 0 }, 'share must be more than 0'],
  [{ message: 'x', files: ['a', 'b', 'c', 'd'] }, 'files has more than 3 entries'],
  [{ message: 'x', files: ['a'] }, 'files has fewer than 2 entries'],
  [{ message: 'x', lone: ['a', 'b'] }, 'lone has more than 1 entry'],
  [{ message: 'x', own: 'long' }, 'own: is no short name'],
])('%j: %s', (input, words) => {
  const { error } = schema.safeParse(input)
  expect(inputWords(error!.issues, input, Object.keys(schema.shape))).toBe(words)
})
