import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'
import { everies } from '../../../base/protocol/schedule.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'

export const listSchedules = operation({
  name: 'list_schedules',
  routes: ['GET /api/schedules'],
  title: 'List scheduled messages',
  description: 'Lists scheduled messages, the next one first. session_cancel with the id cancels one.',
  access: 'program',
  isTool: false,
  input: z.object({}),
  output: z.object({
    schedules: z.array(
      z.object({
        scheduleId: z.string(),
        from: z.string(),
        to: z.string(),
        thread: z.string(),
        message: z.string(),
        every: z.enum(everies).optional().describe('Absent: once'),
        timeZone: z.string(),
        nextAt: Timestamp.optional().describe('Absent: its only time has passed, and the message was refused'),
        lastTurnId: z.string().optional().describe('The turn of the message that was sent last'),
        problem: z.string().optional().describe('Why the message was refused or skipped the last time'),
      }),
    ),
  }),
  readOnly: true,
})
