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
])('%j: %s', (input, words) => {
  const { error } = schema.safeParse(input)
  expect(inputWords(error!.issues, input, Object.keys(schema.shape))).toBe(words)
})
