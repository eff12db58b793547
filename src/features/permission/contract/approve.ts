import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'

export const permissionsApprove = operation({
  name: 'permissions__approve',
  routes: [],
  title: 'Ask for a permission',
  description:
    'For Claude Code itself (--permission-prompt-tool): asks whether a tool that is about to run may run. It only asks; calling it permits nothing.',
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
    updatedInput: z.record(z.string(), z.unknown()).optional().describe('With "allow": what the tool runs with'),
    message: z.string().optional().describe('With "deny": why'),
  }),
  readOnly: false,
})
