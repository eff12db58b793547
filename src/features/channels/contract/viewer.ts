import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'
import { Attachment, maxFiles, NewAttachment } from '../../../base/protocol/attachment.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'
import { Report } from '../../../base/protocol/turn.ts'

/** The name of a conversation within a team, chosen by the page. */
const ConversationName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'a conversation is 1 to 40 letters, digits or -')

const place = { team: z.string(), conversation: ConversationName }

const Conversation = z.object({
  ...place,
  title: z.string().describe('The beginning of its first message'),
  lastUsedAt: Timestamp,
  isWorking: z.boolean(),
})

export const viewerOverview = operation({
  name: 'viewer_overview',
  routes: ['GET /api/viewer'],
  title: 'List the conversations of a person in a browser',
  description: "Returns who is signed in, the teams that this person may ask, and this person's conversations.",
  access: 'viewer',
  isTool: false,
  input: z.object({}),
  output: z.object({
    name: z.string(),
    role: z.string(),
    isOwner: z.boolean(),
    teams: z.array(z.object({ name: z.string(), description: z.string().optional() })),
    conversations: z.array(Conversation).describe('The last used first, at most 200'),
  }),
  readOnly: true,
})

const Turn = z.object({
  turnId: z.string(),
  message: z.string(),
  attachments: z.array(Attachment).optional(),
  status: z.enum(['queued', 'working', 'completed', 'failed', 'cancelled', 'timed_out', 'in_doubt']),
  response: z.string().optional().describe('The answer; only when status is completed'),
  text: z.string().optional().describe('The answer, or the text so far'),
  reports: z.array(Report).optional().describe('Reports that followed the answer, the oldest first'),
  isCut: z.boolean(),
  isNewConversation: z.boolean().describe('The conversation started over before this message'),
  waitsForPermission: z.string().optional().describe("The tool and its team that are waiting for a person's decision"),
  tools: z.array(
    z.object({
      name: z.string(),
      input: z.string(),
      startedAt: Timestamp,
      endedAt: Timestamp.optional(),
      isError: z.boolean(),
    }),
  ),
  acceptedAt: Timestamp,
  settledAt: Timestamp.optional(),
})

export const viewerMessages = operation({
  name: 'viewer_messages',
  routes: ['GET /api/viewer/messages'],
  title: 'Read a conversation of a person in a browser',
  description: "Returns the newest messages of one of this person's conversations, the oldest of them first.",
  access: 'viewer',
  isTool: false,
  input: z.object({
    ...place,
    cursor: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional()
      .describe("The previous page's nextCursor"),
    before: z.number().int().optional().describe("The previous page's next; replaced by cursor"),
  }),
  output: z.object({
    turns: z.array(Turn),
    nextCursor: z.string().optional().describe('Returned if there are older messages'),
    next: z.number().optional().describe('The same cursor as a number; replaced by nextCursor'),
  }),
  readOnly: true,
})

export const viewerSend = operation({
  name: 'viewer_send',
  routes: ['POST /api/viewer/messages'],
  title: 'Send a message as a person in a browser',
  description: "Sends a message to a team with the rights of this login's role.",
  access: 'viewer',
  isTool: false,
  input: z.object({
    ...place,
    message: z.string(),
    attachments: z.array(NewAttachment).min(1).max(maxFiles).optional().describe('Their content, in data'),
  }),
  output: z.object({ turnId: z.string() }),
  readOnly: false,
})

export const viewerStop = operation({
  name: 'viewer_stop',
  routes: ['POST /api/viewer/stop'],
  title: 'Stop an answer on behalf of a person using a browser',
  description: "Stops one of this person's messages, waiting or running.",
  access: 'viewer',
  isTool: false,
  input: z.object({ turnId: z.string() }),
  output: z.object({ turnId: z.string() }),
  readOnly: false,
})

export const viewerSearch = operation({
  name: 'viewer_search',
  routes: ['GET /api/viewer/search'],
  title: 'Search the conversations of a person in a browser',
  description: "Searches the messages and answers of this person's conversations, the newest first.",
  access: 'viewer',
  isTool: false,
  input: z.object({ query: z.string().max(500) }),
  output: z.object({
    hits: z.array(
      z.object({ ...place, at: Timestamp, snippet: z.array(z.object({ text: z.string(), isMatch: z.boolean() })) }),
    ),
    isIndexing: z.boolean(),
  }),
  readOnly: true,
})
