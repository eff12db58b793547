import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { ProgramName } from '../../base/protocol/program.ts'
import { RoleName } from '../../base/protocol/role-name.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

const names = z.array(z.string().min(1).max(200)).min(1).max(100)

const facts = {
  program: z.string().describe('Its name'),
  asker: z.string().describe('As which it asks: in conversations, the audit, the log and metrics'),
  role: z.string().optional().describe('With whose rights teams answer it; absent: a message may name one'),
  teams: z.array(z.string()).describe('The teams that it may ask'),
  callbacks: z.array(z.string()).optional().describe('The callbacks that its messages may name; absent: none'),
  calls: z.number().int().optional().describe('Calls a minute; absent: as many as any caller'),
  address: z.string().optional().describe('The public address at which alone it counts; absent: on this machine'),
}

const Token = z.object({
  ...facts,
  until: Timestamp.optional().describe('When the newest token ends; absent: never'),
  isExpired: z.boolean().describe('No token of it counts any more'),
  earlierUntil: Timestamp.optional().describe('Until when the token before the last rotation counts as well'),
  madeAt: Timestamp.describe('When the newest token was made'),
  usedAt: Timestamp.optional().describe('When it was last used, to within ten minutes'),
})
export type TokenView = z.infer<typeof Token>

const program = ProgramName.describe('The name of the program')

const Made = z.object({
  ...facts,
  token: z.string().describe('Shown this once: Iris keeps only a hash'),
  until: Timestamp.optional().describe('When it ends; absent: never'),
  earlierUntil: Timestamp.optional().describe('Until when the earlier one counts as well'),
  warning: z.string().optional().describe('What its owner has to know'),
})

export const createToken = operation({
  name: 'create_token',
  routes: ['POST /api/tokens'],
  title: 'Make a token for one program',
  description:
    'Makes a bearer token for one program. With it the program asks the named teams in its own name, and sees only what it asked itself. The token is shown once.',
  access: 'owner',
  isTool: false,
  input: z.object({
    program,
    teams: z.union([z.string().min(1).max(200), names]).describe('The teams that it may ask, with commas between them'),
    callbacks: z
      .union([z.string().min(1).max(200), names])
      .optional()
      .describe('The callbacks of config.yaml that its messages may name, with commas between them. Default: none'),
    role: RoleName.optional().describe('The role with whose rights teams answer it. Default: it may name one itself'),
    calls: z.number().int().min(1).max(100_000).optional().describe('Most calls a minute. Default callsPerMinute'),
    expires: z
      .string()
      .max(20)
      .optional()
      .describe('How long the token counts, such as 90d. Default: until it is revoked'),
    public: z
      .boolean()
      .optional()
      .describe('It counts at settings.publicUrl, and only there: with a role, and for 90 days at most'),
  }),
  output: Made,
  readOnly: false,
})

export const listTokens = operation({
  name: 'list_tokens',
  routes: ['GET /api/tokens'],
  title: 'List the programs that have a token of their own',
  description: 'Lists the programs that have a token of their own, with what each may do and when it was last used.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({
    tokens: z.array(Token),
    sharedUsedAt: Timestamp.optional().describe(
      'When a program last used the token of all programs, since there are tokens of their own',
    ),
    sharedUsedBy: z.string().optional().describe('Which process that was'),
  }),
  readOnly: true,
})

export const rotateToken = operation({
  name: 'rotate_token',
  routes: ['POST /api/tokens/{program}/rotate'],
  title: 'Make a new token for a program',
  description: 'Makes a new token for a program. The earlier one counts for another 24 hours, unless `now` is true.',
  access: 'owner',
  isTool: false,
  input: z.object({ program, now: z.boolean().optional().describe('The earlier token ends at once') }),
  output: Made,
  readOnly: false,
})

export const revokeToken = operation({
  name: 'revoke_token',
  routes: ['POST /api/tokens/{program}/revoke'],
  title: 'End the tokens of a program',
  description: 'Ends all tokens of a program at once, and its open streams. Its conversations are kept.',
  access: 'owner',
  isTool: false,
  input: z.object({ program }),
  output: z.object({ program: z.string(), revoked: z.boolean() }),
  readOnly: false,
})
