import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { ProgramName } from '../../base/protocol/program.ts'
import { RoleName } from '../../base/protocol/role-name.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

const names = z.array(z.string().min(1).max(200)).min(1).max(100)

const facts = {
  program: z.string().describe('Its name'),
  asker: z.string().describe('The name it asks under, in conversations, the audit, the log and metrics'),
  role: z.string().optional().describe('The role with whose rights teams answer it; absent: a message may name one'),
  teams: z.array(z.string()).describe('The teams that it may ask'),
  callbacks: z.array(z.string()).optional().describe('The callbacks that its messages may name; absent: none'),
  calls: z.number().int().optional().describe('Calls per minute; absent: the usual limit'),
  address: z
    .string()
    .optional()
    .describe('The public address, the only place where the token is valid; absent: this machine'),
}

const Token = z.object({
  ...facts,
  until: Timestamp.optional().describe('When the newest token ends; absent: never'),
  isExpired: z.boolean().describe('None of its tokens is valid any more'),
  earlierUntil: Timestamp.optional().describe('Until when the token before the last rotation stays valid'),
  madeAt: Timestamp.describe('When the newest token was made'),
  usedAt: Timestamp.optional().describe('When it was last used, to within ten minutes'),
})
export type TokenView = z.infer<typeof Token>

const program = ProgramName.describe('The name of the program')

const Made = z.object({
  ...facts,
  token: z.string().describe('Shown only once: Iris keeps a hash'),
  until: Timestamp.optional().describe('When it ends; absent: never'),
  earlierUntil: Timestamp.optional().describe('Until when the earlier token stays valid'),
  warning: z.string().optional().describe('What the owner should know'),
})

export const createToken = operation({
  name: 'create_token',
  routes: ['POST /api/tokens'],
  title: 'Make a token for one program',
  description:
    'Makes a bearer token for one program. With it, the program asks the named teams in its own name and sees only its own messages. The token is shown once.',
  access: 'owner',
  isTool: false,
  input: z.object({
    program,
    teams: z.union([z.string().min(1).max(200), names]).describe('The teams that it may ask, separated by commas'),
    callbacks: z
      .union([z.string().min(1).max(200), names])
      .optional()
      .describe('The callbacks in config.yaml that its messages may name, separated by commas. Default: none'),
    role: RoleName.optional().describe('The role with whose rights teams answer it. Default: it may name one itself'),
    calls: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .describe('The most calls per minute. Default callsPerMinute'),
    expires: z
      .string()
      .max(20)
      .optional()
      .describe('How long the token is valid, such as 90d. Default: until it is revoked'),
    public: z
      .boolean()
      .optional()
      .describe('Valid only at settings.publicUrl; requires a role, and lasts at most 90 days'),
  }),
  output: Made,
  readOnly: false,
})

export const listTokens = operation({
  name: 'list_tokens',
  routes: ['GET /api/tokens'],
  title: 'List the programs with their own token',
  description: 'Lists the programs with their own token, what each may do, and when it was last used.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({
    tokens: z.array(Token),
    sharedUsedAt: Timestamp.optional().describe(
      'When a program last used the shared token, since the first program token was made',
    ),
    sharedUsedBy: z.string().optional().describe('Which process that was'),
  }),
  readOnly: true,
})

export const rotateToken = operation({
  name: 'rotate_token',
  routes: ['POST /api/tokens/{program}/rotate'],
  title: 'Make a new token for a program',
  description: 'Makes a new token for a program. The earlier one stays valid for 24 hours, unless `now` is true.',
  access: 'owner',
  isTool: false,
  input: z.object({ program, now: z.boolean().optional().describe('End the earlier token at once') }),
  output: Made,
  readOnly: false,
})

export const revokeToken = operation({
  name: 'revoke_token',
  routes: ['POST /api/tokens/{program}/revoke'],
  title: 'End the tokens of a program',
  description: 'Ends all tokens and open streams of a program at once. Its conversations are kept.',
  access: 'owner',
  isTool: false,
  input: z.object({ program }),
  output: z.object({ program: z.string(), revoked: z.boolean() }),
  readOnly: false,
})
