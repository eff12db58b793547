import { z } from 'zod'
import { outcomes } from '../turn.ts'
import { operation } from './operation.ts'
import { SessionInput, Timestamp, TurnIdInput } from './pair.ts'

const duration = z.number().describe('Milliseconds')

export const sessionCancel = operation({
  name: 'session_cancel',
  routes: ['POST /api/sessions/cancel'],
  title: 'Cancel a message',
  description:
    'Interrupts the message that a team is working on for you, or, with a turnId, that message: one that waits in the queue is taken out of it. The process stays, and the next message finds the same conversation. If there is nothing to cancel it says so.',
  access: 'agent',
  input: SessionInput.extend({
    turnId: TurnIdInput.optional().describe(
      'Which message; its first characters are enough. Default: the one being worked on',
    ),
    tree: z.boolean().optional().describe('End everything it caused too, waited for or not. Default false'),
  }),
  output: z.object({
    team: z.string(),
    from: z.string(),
    thread: z.string(),
    sessionId: z.string().optional(),
    turnId: z.string().optional().describe('What was to be cancelled'),
    attempted: z.boolean().describe('There was something to cancel'),
    cancelled: z.boolean(),
    outcome: z.enum(outcomes).optional().describe('How that message ended'),
    ended: z
      .array(
        z.object({
          turnId: z.string(),
          from: z.string(),
          to: z.string(),
          thread: z.string(),
          outcome: z.enum(outcomes),
        }),
      )
      .optional()
      .describe('With tree: all that had not ended before'),
    processFound: z.boolean().describe('The conversation has a running process'),
    message: z.string().describe('What happened, in words'),
    duration,
    timestamp: Timestamp,
  }),
  readOnly: false,
})

export const sessionReboot = operation({
  name: 'session_reboot',
  routes: ['POST /api/sessions/reboot'],
  title: 'Begin a conversation anew',
  description:
    "Archives the conversation and starts a process with a new, empty one. What waits in the queue goes on there, marked with contextReset. While a message is being worked on, or a person has the conversation open, it is refused, unless force is true: then that message is cancelled. The old conversation's transcripts are kept.",
  access: 'program',
  input: SessionInput.extend({
    force: z.boolean().optional().describe('Cancel the running message first. Default false'),
  }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    hadPreviousSession: z.boolean(),
    oldSessionId: z.string().optional(),
    newSessionId: z.string(),
    processTerminated: z.boolean(),
    cancelledTurnId: z.string().optional(),
    movedTurns: z.number().int().describe('Waiting messages that go on in the new conversation'),
    message: z.string(),
    duration,
    timestamp: Timestamp,
  }),
  readOnly: false,
})

export const sessionDelete = operation({
  name: 'session_delete',
  routes: ['POST /api/sessions/delete'],
  title: 'End a conversation',
  description:
    'Archives the conversation without a successor; the next message opens a new one. While messages are being worked on or wait, or a person has the conversation open, it is refused, unless force is true: then they are cancelled. Transcripts are kept unless deleteTranscripts is true; the archived row and its messages stay in any case.',
  access: 'program',
  input: SessionInput.extend({
    force: z.boolean().optional().describe('Cancel the running and the waiting messages first. Default false'),
    deleteTranscripts: z
      .boolean()
      .optional()
      .describe("Also delete Claude Code's own record of it and output_streams/<session id>. Default false"),
  }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    hadSession: z.boolean(),
    sessionId: z.string().optional(),
    processTerminated: z.boolean(),
    cancelledTurnIds: z.array(z.string()),
    deletedFiles: z.array(z.string()).describe('What was deleted, absolute paths'),
    message: z.string(),
    duration,
    timestamp: Timestamp,
  }),
  readOnly: false,
  destructive: true,
})
