import { z } from 'zod'
import { Instant } from '../../../base/operation/instant.ts'
import { operation } from '../../../base/operation/operation.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'

const count = z.number().int()
const query = z
  .string()
  .describe('The SQL statement that returns the figure; run it on the store with sqlite3 -readonly')
const SuggestionId = z.string().describe('The id for decide_suggestion')
const Turns = z.array(z.string()).describe('Ids of turns, at most five')
const Answer = z.object({
  turnId: z.string(),
  response: z.string(),
  answer: z.string().describe('The same text; replaced by response'),
  answeredAt: Timestamp,
})

export const reflect = operation({
  name: 'reflect',
  routes: ['GET /api/insight/reflection'],
  title: 'Suggest what to change after a period',
  description:
    'Reports questions asked twice whose answers could be in a CLAUDE.md, rules that would avoid permission requests, the most expensive pairs, answers that contradict each other, and agents that repeat themselves. Each figure comes with its SQL statement. Calls no model and changes nothing.',
  access: 'owner',
  isTool: false,
  input: z.object({
    since: Instant.optional().describe('Default: 30 days ago'),
    until: Instant.optional().describe('Default: now'),
    team: z.string().optional().describe('Only conversations in which this team asks or answers'),
  }),
  output: z.object({
    since: Timestamp,
    until: Timestamp,
    read: z.object({ asks: count, uses: count, questions: count }).describe('Rows read, at most 200000 of each'),
    askedTwice: z
      .array(
        z.object({
          suggestionId: SuggestionId,
          to: z.string(),
          askers: z.array(z.string()),
          times: count,
          message: z.string().describe('The first wording, cut after 200 characters'),
          answer: Answer.describe('The latest answer, cut'),
          turns: Turns,
          diff: z.string().optional().describe('How the answer would change CLAUDE.md, in the unified format'),
          problem: z.string().optional().describe('Why CLAUDE.md cannot be changed'),
          query,
        }),
      )
      .describe('Questions that a team was asked at least twice, except those already applied or refused'),
    rules: z
      .array(
        z.object({
          suggestionId: SuggestionId,
          team: z.string(),
          tool: z.string(),
          rule: z.string().describe('The rule that Claude Code suggested each time'),
          times: count.describe('Permission requests that the rule would have avoided'),
          query,
        }),
      )
      .describe('Rules for tools that were allowed at least five times and never denied'),
    costly: z
      .array(
        z.object({
          from: z.string(),
          to: z.string(),
          messages: count,
          costUsd: z.number(),
          share: z.number().describe('Share of the cost of all pairs, 0 to 1'),
          query,
        }),
      )
      .describe('The most expensive pair first'),
    contradicted: z
      .array(
        z.object({
          to: z.string(),
          message: z.string(),
          earlier: Answer,
          later: Answer,
          said: z.array(z.string()),
          saidLater: z.array(z.string()),
          query,
        }),
      )
      .describe('Two answers to the same question that have no file, or no number, in common'),
    circles: z
      .array(
        z.object({
          team: z.string(),
          turnId: z.string(),
          kind: z.enum(['tools', 'asks']),
          what: z.string(),
          rounds: count,
          query,
        }),
      )
      .describe(
        'The same tools with the same input four times or more in a row, or an ask that led to the same ask again',
      ),
    kept: z
      .object({ times: count, costUsd: z.number(), savedMs: count })
      .describe('Answers that were reused, with the cost and time that this saved'),
    startedAhead: z
      .object({ starts: count, used: count.describe('How many of these processes got a message'), savedMs: count })
      .describe('Processes started before an ask, and the waiting time that this saved'),
    balanced: z
      .object({
        kept: count,
        used: count.describe('How many of the kept processes got a message afterwards'),
        savedMs: count,
        overtaken: count.describe('How often a message that is usually answered sooner overtook another'),
      })
      .describe('Idle processes that load balancing kept while it ended others, and the waiting time that this saved'),
    collisions: z
      .object({ times: count })
      .describe('Cases where two running messages used the same file and one was about to change it'),
    toldAtOnce: z.object({ times: count }).describe('Answers whose asker was notified at once that a file had changed'),
    weekly: z
      .object({ at: Timestamp, asks: count, suggestions: count })
      .optional()
      .describe('The last weekly reflection'),
    decided: z
      .array(
        z.object({
          suggestionId: z.string(),
          team: z.string(),
          kind: z.enum(['claude-md', 'rule']),
          subject: z.string(),
          decision: z.enum(['applied', 'refused']),
          decidedAt: Timestamp,
          askedSince: count.optional().describe('If applied: how often the question has been asked since'),
        }),
      )
      .describe('Decided suggestions, the latest first, at most 100'),
    isOn: z.boolean().describe('insight.reflection in config.yaml; false: nothing was analyzed'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

export const decideSuggestion = operation({
  name: 'decide_suggestion',
  routes: ['POST /api/insight/suggestions/{suggestionId}'],
  title: 'Apply or refuse a suggestion',
  description:
    "Applies a suggestion, by writing its diff into the team's CLAUDE.md or its rule into config.yaml, or refuses it for good. A decided suggestion does not come back.",
  access: 'owner',
  isTool: false,
  input: z.object({
    suggestionId: z.string().describe('The suggestion, as reflect lists it'),
    decision: z.enum(['apply', 'refuse']),
    diff: z.string().optional().describe('The diff or the rule that you agree to; required to apply'),
  }),
  output: z.object({ suggestionId: z.string(), decision: z.enum(['applied', 'refused']) }),
  readOnly: false,
})

export const listHealings = operation({
  name: 'list_healings',
  routes: ['GET /api/insight/healings'],
  title: 'List faults that Iris healed',
  description: 'Lists the faults that Iris found, what it did about each, and when each was confirmed as healed.',
  access: 'program',
  isTool: false,
  input: z.object({
    since: Instant.optional().describe('Default: 30 days ago'),
    limit: z.number().int().min(1).max(500).optional().describe('Default 100'),
  }),
  output: z.object({
    since: Timestamp,
    healings: z
      .array(
        z.object({
          fault: z.string(),
          subject: z.string().describe('A conversation, a team or a file'),
          found: z.string(),
          action: z.string().describe('What Iris did about the fault; this never deletes anything'),
          undo: z.string().optional().describe('What Iris undid when the fault was healed'),
          foundAt: Timestamp,
          healedAt: Timestamp.nullable().describe('null: it is not healed yet'),
        }),
      )
      .describe('The latest first'),
    isOn: z.boolean().describe('insight.healing in config.yaml: whether faults are recorded'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
