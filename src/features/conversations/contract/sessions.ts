import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'
import { SessionInput, TurnIdInput } from '../../../base/operation/pair.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'
import { outcomes } from '../../../base/protocol/turn.ts'

const duration = z.number().describe('Milliseconds')

export const sessionCancel = operation({
  name: 'session_cancel',
  routes: ['POST /api/sessions/cancel'],
  title: 'Cancel a message',
  description:
    'Cancels your running message to a team, or the running or queued one with turnId. The conversation is kept.',
  access: 'agent',
  input: SessionInput.extend({
    turnId: TurnIdInput.optional().describe('Its first characters are enough. Default: the running message'),
    tree: z.boolean().optional().describe('Also cancel everything it caused. Default false'),
  }),
  output: z.object({
    team: z.string(),
    from: z.string(),
    thread: z.string(),
    sessionId: z.string().optional(),
    turnId: z.string().optional().describe('The message to cancel'),
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
      .describe('With tree: all messages that had not ended'),
    processFound: z.boolean().describe('The conversation has a running process'),
    message: z.string().describe('What happened, in words'),
    duration,
    timestamp: Timestamp,
  }),
  unlisted: ['toTeam'],
  readOnly: false,
})

export const sessionReboot = operation({
  name: 'session_reboot',
  routes: ['POST /api/sessions/reboot'],
  title: 'Restart a conversation',
  description:
    'Archives the conversation, keeps its transcripts, and starts an empty one with the queued messages. Without force, refused while a message runs or a person has the conversation open.',
  access: 'program',
  input: SessionInput.extend({
    force: z.boolean().optional().describe('Cancel the running message. Default false'),
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
    movedTurns: z.number().int().describe('Queued messages moved to the new conversation'),
    message: z.string(),
    duration,
    timestamp: Timestamp,
  }),
  unlisted: ['toTeam'],
  readOnly: false,
})

export const sessionDelete = operation({
  name: 'session_delete',
  routes: ['POST /api/sessions/delete'],
  title: 'End a conversation',
  description:
    'Archives the conversation; the next message starts a new one. Without force, refused while messages run or wait, or a person has the conversation open.',
  access: 'program',
  input: SessionInput.extend({
    force: z.boolean().optional().describe('Cancel the running and the queued messages. Default false'),
    deleteTranscripts: z.boolean().optional().describe('Also delete its transcripts permanently. Default false'),
  }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    hadSession: z.boolean(),
    sessionId: z.string().optional(),
    processTerminated: z.boolean(),
    cancelledTurnIds: z.array(z.string()),
    deletedFiles: z.array(z.string()).describe('Absolute paths of the deleted files'),
    message: z.string(),
    duration,
    timestamp: Timestamp,
  }),
  unlisted: ['toTeam'],
  readOnly: false,
  destructive: true,
})
