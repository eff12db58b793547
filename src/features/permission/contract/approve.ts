import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'

export const permissionsApprove = operation({
  name: 'permissions__approve',
  routes: [],
  title: 'Ask for a permission',
  description:
    'For Claude Code itself (--permission-prompt-tool): asks whether a tool may run. Calling it does not grant anything.',
  access: 'agent',
  forClaudeCode: true,
  input: z.object({
    tool_name: z.string(),
    input: z.record(z.string(), z.unknown()),
    tool_use_id: z.string().optional(),
    reason: z.string().optional(),
  }),
  output: z.object({
    behavior: z.enum(['allow', 'deny']),
    updatedInput: z.record(z.string(), z.unknown()).optional().describe('With "allow": the input for the tool'),
    message: z.string().optional().describe('With "deny": the reason'),
  }),
  readOnly: false,
})
