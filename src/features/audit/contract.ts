import { z } from 'zod'
import { Instant } from '../../base/operation/instant.ts'
import { operation } from '../../base/operation/operation.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const Sequence = z.number().int()

export const listAudit = operation({
  name: 'list_audit',
  routes: ['GET /api/audit'],
  title: 'List the audit',
  description: 'Lists audited actions and refused calls, newest first.',
  access: 'owner',
  input: z.object({
    since: Instant.optional().describe('Only entries since then'),
    team: z.string().optional().describe('Only entries by or about this team'),
    limit: z.number().int().min(1).max(1000).optional().describe('Default 100'),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional()
      .describe('nextCursor of the previous page'),
    before: Sequence.optional().describe('nextBefore of the previous page; replaced by cursor'),
  }),
  output: z.object({
    entries: z.array(
      z.object({
        sequence: Sequence,
        at: Timestamp,
        actor: z
          .string()
          .describe(
            '"owner", "program", "agent:<team>", "iris", "forward:<host>" (a question was answered there), or "unknown"',
          ),
        action: z.string(),
        subject: z.string(),
        decision: z
          .string()
          .nullable()
          .describe('"allowed", or the code of the refusal; "allow" or "deny" for a permission request'),
        inputHash: z.string().nullable().describe('SHA-256 of the input as JSON with sorted names'),
        detail: z.record(z.string(), z.unknown()),
        hash: Hash.describe('Hash over this entry and all earlier ones'),
      }),
    ),
    nextCursor: z.string().optional().describe('There are older ones'),
    nextBefore: Sequence.optional().describe('The same as a number; replaced by nextCursor'),
    timestamp: Timestamp,
  }),
  unlisted: ['before'],
  readOnly: true,
})

export const verifyAudit = operation({
  name: 'verify_audit',
  routes: ['GET /api/audit/verification'],
  title: 'Verify the audit',
  description:
    "Checks the audit's hash chain from the beginning for changed, removed, inserted or moved entries. Only a head noted elsewhere can show that no entries were cut off at the end.",
  access: 'owner',
  input: z.object({ head: Hash.optional().describe('A head noted earlier; it must still be in the chain') }),
  output: z.object({
    whole: z.boolean().describe('The chain is intact, and contains the head noted earlier'),
    entries: z.number().int(),
    head: z.object({ sequence: Sequence, hash: Hash, at: Timestamp }).nullable().describe('The newest entry'),
    headFound: z.boolean().optional().describe('Whether the head noted earlier is in the chain'),
    breaks: z
      .array(
        z.object({
          sequence: Sequence.describe('The first entry that breaks the chain'),
          problem: z.enum(['changed', 'does_not_follow']),
          explainedBy: Sequence.nullable().describe(
            'The entry that records the store damage in which entries were lost',
          ),
        }),
      )
      .describe('At most 100'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
