import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'

const decision = z.enum(['allow', 'deny'])

const GrantedRule = z.object({
  team: z.string().describe('The team whose tools it covers'),
  decision,
  rule: z.string().describe("In Claude Code's syntax"),
  scope: z.enum(['session', 'pair', 'always']).describe('always: a rule in config.yaml'),
  from: z.string().optional().describe('Only for this asker'),
  thread: z.string().optional().describe('Only in this conversation'),
  grant: z.number().int().optional().describe('The id of a lasting answer; absent for a rule in config.yaml'),
  grantedAt: z.number().optional().describe('Milliseconds since the epoch'),
})
export type GrantedRule = z.infer<typeof GrantedRule>

export const listRules = operation({
  name: 'list_rules',
  routes: ['GET /api/rules'],
  title: 'List the rules for tools',
  description: 'Lists what agents may always or never do: lasting answers, and rules in config.yaml.',
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
    "Revokes a lasting answer (`grant`), or removes a team's rule from config.yaml (`team`, `decision`, `rule`).",
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
