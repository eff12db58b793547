import { z } from 'zod'
import { operation, pageAnswer } from '../../../base/operation/operation.ts'
import { PlaceCursor } from '../../../base/operation/place-cursor.ts'
import { PermissionScope, PermissionView } from '../../../base/protocol/permission-view.ts'

export const listPermissions = operation({
  name: 'list_permissions',
  routes: ['GET /api/permissions'],
  title: 'List permission requests',
  description: "Lists agents' permission requests, pending or past.",
  access: 'owner',
  input: z.object({
    state: z.enum(['pending', 'decided', 'all']).optional().describe('Default "pending"'),
    team: z.string().optional().describe('Only requests of this team'),
    limit: z.number().int().min(1).max(1000).optional().describe('Default 100, newest first'),
    cursor: PlaceCursor.optional(),
  }),
  output: z.object({
    permissions: z.array(PermissionView),
    nextCursor: z.string().optional().describe('There are older requests; pass this as cursor to get them'),
    now: z.number().describe('Milliseconds since the epoch'),
  }),
  answer: pageAnswer,
  readOnly: true,
})

export const answerPermission = operation({
  name: 'answer_permission',
  routes: ['POST /api/permissions/{permissionId}'],
  title: 'Answer a permission request',
  description: 'Allows or denies one pending tool use. The first answer counts.',
  access: 'owner',
  input: z.object({
    permissionId: z.string(),
    decision: z.enum(['allow', 'deny']),
    scope: PermissionScope.optional().describe('How long the answer applies. Default "once"'),
    rule: z
      .string()
      .optional()
      .describe('With a scope beyond once: a rule in Claude Code syntax, instead of this exact tool use'),
    updatedInput: z.record(z.string(), z.unknown()).optional().describe('Run the tool with this input instead'),
    message: z.string().max(2000).optional().describe('Message to the agent, with a denial'),
    inputHash: z.string().optional().describe("The answer is refused if the request's input has another hash"),
    answeredIn: z.enum(['Claude Code']).optional().describe('Where the owner was asked, for the audit'),
  }),
  output: z.object({
    status: z.enum(['answered', 'already_answered', 'ended']),
    permission: PermissionView,
  }),
  readOnly: false,
  destructive: true,
})

export const sessionQuestions = operation({
  name: 'session_questions',
  routes: [],
  title: 'Questions for the open session of the person who asked',
  description:
    "For the bridge of a person's session: lists the pending requests that the session's messages led to. With known: waits until the list changes.",
  access: 'owner',
  isTool: false,
  input: z.object({
    console: z.string().min(1).max(100).describe("The session's id in its calls"),
    known: z.array(z.string()).max(1000).optional().describe('Ids of the requests that the bridge already has'),
    directory: z.string().optional().describe('Where the session is open'),
    configDirectory: z.string().describe('Where its Claude Code keeps settings'),
  }),
  output: z.object({
    isOn: z.boolean().describe('Whether requests appear in this session'),
    permissions: z.array(PermissionView),
  }),
  readOnly: true,
})
