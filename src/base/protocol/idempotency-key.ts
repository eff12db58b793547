import { z } from 'zod'

const maxCharacters = 200

/** The key of a call that may be repeated, in a header and in an argument alike. */
export const IdempotencyKey = z
  .string()
  .max(maxCharacters)
  .regex(/\S/, 'must not be empty')
  .describe('Iris treats calls with the same key as one call')
