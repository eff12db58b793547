import type { Outcome, Reason, TurnResult } from './turn.ts'

/** The meaning of a reason for the asking agent or program, in the guide's Markdown. */
export interface ReasonMeaning {
  /** The outcomes that can have it. */
  readonly outcomes: readonly Outcome[]
  readonly means: string
  /** What the asker does next. */
  readonly remedy: string
}

/** Part of `detail`, for agents and programs. A terminal shows a command instead. */
export const whereAll = 'message_status with everything: true returns all that it said'

const failed = ['failed'] as const
const timedOut = ['timed_out'] as const
const retry = 'Ask again later.'
const person = 'A person must act, as `detail` says.'
const rest = 'Ask for the rest in the same conversation, or for a shorter answer, or have it written to a file.'

/** Every status of a result, in the order of the guide. */
export const statusMeanings: Readonly<Record<TurnResult['status'], string>> = {
  completed: 'The agent ended its turn. `response` is its answer, unless the reason is `no_answer`.',
  failed: 'There is no answer. `partialResponse` has the text so far.',
  timed_out: 'Iris ended the turn because it made no progress. `partialResponse` has the text so far.',
  cancelled: 'Somebody cancelled it.',
  in_doubt: "The work was cut off, and a tool may have taken effect. Iris doesn't run it again by itself.",
  async: 'You did not wait. The work continues; `message_status` has the answer later.',
  mcp_timeout: 'Your timeout ran out. The work continues; `message_status` has the answer later.',
}

/** Every reason, in the order of the guide. docs/guide/answers.md shows this table. */
export const reasonMeanings: Readonly<Record<Reason, ReasonMeaning>> = {
  no_answer: {
    outcomes: ['completed'],
    means: 'The agent ended its turn without saying anything. `detail` lists the tools that it used, with their files.',
    remedy: 'Do not start over: the work may be done. Ask in the same conversation what it did.',
  },
  cut: {
    outcomes: failed,
    means: 'The answer was cut off, and Claude Code could not get the rest from the model.',
    remedy: rest,
  },
  paused: {
    outcomes: failed,
    means: 'The API paused the reply, and paused it again after Iris asked the agent to continue.',
    remedy: rest,
  },
  model_refusal: {
    outcomes: failed,
    means: "The model's safeguards stopped the answer.",
    remedy: 'Rephrase it, or ask for something else. The same message would be refused again.',
  },
  blocked_by_hook: {
    outcomes: failed,
    means:
      "A `UserPromptSubmit` hook blocked the message, or a request that Iris made after it. `detail` says which, with the hook's reason.",
    remedy: "Rephrase it so that the hook accepts it, or ask the project's owner to change the hook.",
  },
  stopped_by_hook: {
    outcomes: failed,
    means: 'A hook stopped the turn. `detail` names its event and has the reason that the hook gave.',
    remedy: "Ask the project's owner to change the hook, then ask the agent to continue.",
  },
  tool_deferred: {
    outcomes: failed,
    means:
      "A hook postponed a tool call (`permissionDecision: defer`). Claude Code may run it by itself when it resumes the conversation, or never. If it does, this turn's `reports` show the outcome.",
    remedy:
      'Do not send the message again: the tool may run twice. Ask the agent in the same conversation whether the tool ran.',
  },
  api_auth: { outcomes: failed, means: "The model's API refused the team's login.", remedy: person },
  api_rate_limited: { outcomes: failed, means: "The team's account is over its limit.", remedy: retry },
  api_overloaded: { outcomes: failed, means: "The model's API is overloaded.", remedy: retry },
  api_error: {
    outcomes: failed,
    means:
      "The model's API refused the request, or the connection broke. If the conversation was too long, compacting and replacing it did not help.",
    remedy: 'Follow `detail`, or ask again later.',
  },
  turn_error: { outcomes: failed, means: 'Claude Code ended the turn with an error.', remedy: 'Follow `detail`.' },
  schema_unmet: {
    outcomes: failed,
    means: 'The model did not return a value that matches the schema in three tries.',
    remedy: 'Explain in the message what the value means, or use a wider schema.',
  },
  over_budget: { outcomes: failed, means: 'A budget was used up.', remedy: 'Ask for less, or set a larger budget.' },
  cancelled: {
    outcomes: ['cancelled'],
    means: 'The turn was cancelled on request.',
    remedy: 'Ask again if you need it.',
  },
  asker_cancelled: {
    outcomes: ['cancelled'],
    means: 'The turn that was waiting for it was cancelled.',
    remedy: 'Ask again if you need it.',
  },
  interrupted: {
    outcomes: ['in_doubt', 'failed'],
    means:
      'The turn was cut off, and one of these holds: `onInterrupted: report` is set, no process could start to continue it, or each one died. Or a hook blocked the request to continue. Or another host had started it and did not come back, and the servers lost its records.',
    remedy: 'Check what the tools in `detail` have done, then ask again.',
  },
  process_died: {
    outcomes: failed,
    means: 'Its process kept ending, and no tool had started. If a tool had started, the reason is `interrupted`.',
    remedy: person,
  },
  spawn_failed: {
    outcomes: failed,
    means: 'Its process did not start. `detail` names the hook or the program that blocked it, if Iris found one.',
    remedy: person,
  },
  init_timeout: {
    outcomes: failed,
    means: 'A new conversation did not respond in time. `detail` names the hook that was still running, if any.',
    remedy: person,
  },
  session_creation_failed: {
    outcomes: failed,
    means: 'Iris could not begin a new conversation, even with a second id.',
    remedy: person,
  },
  breaker_open: {
    outcomes: failed,
    means:
      'Its process failed five times within a minute, so Iris waits a minute before the next start. `detail` has its last output.',
    remedy: person,
  },
  queue_timeout: {
    outcomes: failed,
    means:
      'All processes were busy for `settings.queueTimeout`, or more starts were needed in a minute than `settings.startsPerMinute` allows.',
    remedy: retry,
  },
  session_held: {
    outcomes: failed,
    means: 'A person had the conversation open for `settings.queueTimeout`.',
    remedy: 'Ask again after they leave it, or in another thread.',
  },
  unanswered: { outcomes: timedOut, means: 'Nobody answered it in time in an open session.', remedy: retry },
  unknown_agent: {
    outcomes: failed,
    means: 'The thread belongs to an agent (`agent:name`), and the project no longer has that agent.',
    remedy: 'Name one of the agents in `detail`.',
  },
  account_unusable: {
    outcomes: failed,
    means: "Iris cannot read the token of the team's `account`, or the conversation belongs to another account.",
    remedy: person,
  },
  host_unreachable: {
    outcomes: ['failed', 'in_doubt'],
    means: "The connection to the team's machine was lost for too long.",
    remedy: retry,
  },
  refused: {
    outcomes: failed,
    means: 'Another host refused the message, or its answer was too long to send.',
    remedy: 'Follow `detail`.',
  },
  hung: {
    outcomes: timedOut,
    means: 'The process was silent and did not respond to a check. Iris ended it and kept its text so far.',
    remedy: 'Ask again. The next message resumes the conversation.',
  },
  no_progress: {
    outcomes: timedOut,
    means:
      'The process was alive, but ran no tool and printed nothing for `settings.maxSilence`. Iris interrupted the turn.',
    remedy: 'Ask again.',
  },
  no_tool_ran: {
    outcomes: timedOut,
    means:
      'No tool ran in 200 consecutive model calls, often because each answer was cut off in a tool call. Iris interrupted the turn.',
    remedy: 'Split the request into smaller ones.',
  },
  sent_on_by_hook: {
    outcomes: timedOut,
    means:
      "A `Stop` hook kept the agent from ending 200 times in a row. Iris interrupted the turn. `detail` has the hook's reason.",
    remedy: "Use `partialResponse`, and ask the project's owner to change the hook.",
  },
  tool_unanswered: {
    outcomes: timedOut,
    means:
      'A tool of an MCP server did not answer for six times `settings.maxSilence`, and Claude Code sets no limit. Iris interrupted the turn. `detail` names the tool.',
    remedy: person,
  },
  background_timeout: {
    outcomes: timedOut,
    means:
      'The agent had answered, but its background work did not report within `backgroundTimeout`. Iris stopped it and kept the text so far.',
    remedy: 'Use `partialResponse`, or ask again for the missing work.',
  },
  session_mismatch: {
    outcomes: failed,
    means: 'Claude Code answered from another conversation.',
    remedy: 'Ask again.',
  },
  transcript_unreadable: {
    outcomes: ['failed', 'in_doubt'],
    means: "Iris cannot read Claude Code's record of the conversation. It does not give the message to Claude again.",
    remedy: person,
  },
  feature_missing: {
    outcomes: failed,
    means: 'The message needs a part of Iris that this Iris was built without; `detail` names it.',
    remedy: person,
  },
  internal: { outcomes: failed, means: 'An internal error in Iris; see the daemon log.', remedy: 'Ask again.' },
}
