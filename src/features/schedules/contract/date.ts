import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'

export const getDate = operation({
  name: 'get_date',
  routes: ['GET /api/date'],
  title: 'Get the date and time',
  description: 'Returns the date and time in UTC.',
  access: 'agent',
  input: z.object({}),
  output: z.object({
    timestamp: z.number().describe('Milliseconds since the epoch'),
    iso: z.string(),
    utc: z.string(),
    unix: z.number().int().describe('Seconds since the epoch'),
    components: z.object({
      year: z.number().int(),
      month: z.number().int().describe('1 to 12'),
      day: z.number().int(),
      hours: z.number().int(),
      minutes: z.number().int(),
      seconds: z.number().int(),
      milliseconds: z.number().int(),
      dayOfWeek: z.number().int().describe('0 is Sunday'),
      dayOfYear: z.number().int(),
    }),
  }),
  readOnly: true,
})
