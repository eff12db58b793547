import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'

const decision = z.enum(['allow', 'deny'])

const GrantedRule = z.object({
  team: z.string().describe('Whose tools it is about'),
  decision,
  rule: z.string().describe("In Claude Code's syntax"),
  scope: z.enum(['session', 'pair', 'always']).describe('always: a rule in config.yaml'),
  from: z.string().optional().describe('Only for this asker'),
  thread: z.string().optional().describe('Only in this conversation'),
  grant: z.number().int().optional().describe('Names a lasting answer; absent for a rule in config.yaml'),
  grantedAt: z.number().optional().describe('Milliseconds since the epoch'),
})
export type GrantedRule = z.infer<typeof GrantedRule>

export const listRules = operation({
  name: 'list_rules',
  routes: ['GET /api/rules'],
  title: 'List the rules for tools',
  description: 'Lists what agents may do without a question, or never: lasting answers, and rules of config.yaml.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({ rules: z.array(GrantedRule) }),
  readOnly: true,
})

export const revokeRule = operation({
  name: 'revoke_rule',
  routes: ['POST /api/rules/revoke'],
  title: 'Revoke a rule for tools',
  description:
    'Takes back an answer that holds on (`grant`), or takes a rule of a team out of config.yaml (`team`, `decision`, `rule`).',
  access: 'owner',
  isTool: false,
  input: z.object({
    grant: z.number().int().optional(),
    team: z.string().optional(),
    decision: decision.optional(),
    rule: z.string().optional(),
  }),
  output: z.object({ revoked: z.boolean().describe('False: there was no such rule') }),
  readOnly: false,
})
