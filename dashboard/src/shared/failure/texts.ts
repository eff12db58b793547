import type { Reason } from '../../../../src/base/protocol/turn.ts'

const later = 'Retry later.'
const again = 'Retry it.'
const asDetails = 'The details say what to do.'
const checkFirst = 'Check what its tools did, then retry.'
const rest = 'Ask for the rest, or for a shorter answer.'
const hook = "Ask the project's owner to change the hook."

/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  details: 'Details',
  // What happened, and what to do.
  reasons: {
    no_answer: ['The agent finished without saying anything.', 'Ask it for the result.'],
    cut: ['The answer was cut off.', rest],
    paused: ['The API paused the answer twice.', rest],
    model_refusal: ["The model's safeguards stopped the answer.", 'Rephrase it.'],
    blocked_by_hook: ['A hook kept the message from the agent.', asDetails],
    stopped_by_hook: ['A hook stopped the agent.', hook],
    tool_deferred: ['A hook postponed a tool.', 'Ask the agent whether the tool ran: a retry may run it again.'],
    api_auth: ["The model's API refused the team's login.", asDetails],
    api_rate_limited: ["The team's account is over its limit.", later],
    api_overloaded: ["The model's API is overloaded.", later],
    api_error: ["The model's API refused the request, or cut the answer off.", asDetails],
    turn_error: ['Claude Code ended with an error.', asDetails],
    schema_unmet: ["The answer didn't match the requested form.", 'Describe the form in words, or allow more.'],
    over_budget: ['A budget was used up.', 'Ask for less, or set a larger budget.'],
    cancelled: ['Stopped.', ''],
    asker_cancelled: ['Stopped, because the message that waited for it was stopped.', ''],
    interrupted: ['It was interrupted, and a tool may have run.', checkFirst],
    process_died: ['Claude Code kept exiting.', asDetails],
    spawn_failed: ["Claude Code didn't start.", asDetails],
    init_timeout: ["Claude Code started but didn't respond.", asDetails],
    session_creation_failed: ["The conversation couldn't be started.", asDetails],
    breaker_open: ['Claude Code failed five times within a minute, so Iris pauses.', asDetails],
    queue_timeout: ['Every process was busy for too long.', later],
    session_held: ['The conversation was open in a terminal for too long.', 'Close it there, then retry.'],
    unanswered: ['Nobody answered it in time in the open session.', later],
    unknown_agent: ['The project no longer has that agent.', asDetails],
    account_unusable: ["The team's account can't be used.", asDetails],
    host_unreachable: ["The team's machine couldn't be reached.", later],
    refused: ['Another machine refused the message.', asDetails],
    hung: ['Claude Code stopped responding.', again],
    no_progress: ['It made no progress for too long.', again],
    no_tool_ran: ['No tool ran in 200 steps.', 'Split the request into smaller ones.'],
    sent_on_by_hook: ['A hook kept the agent from finishing.', hook],
    tool_unanswered: ['A tool never answered.', asDetails],
    background_timeout: ['Its background work took too long.', 'Use what it said, or ask for the rest.'],
    session_mismatch: ['Claude Code answered from another conversation.', again],
    transcript_unreadable: ["Claude Code's record of the conversation can't be read.", asDetails],
    feature_missing: ['This Iris lacks a feature that the message needs.', asDetails],
    internal: ['Something went wrong in Iris.', 'Retry it. The log shows the cause.'],
  } satisfies Record<Reason, readonly [what: string, todo: string]>,
  // For messages that ended before Iris recorded reasons.
  statuses: {
    failed: ['It failed.', again],
    timed_out: ['It took too long.', again],
    cancelled: ['Stopped.', ''],
    in_doubt: ['It was interrupted, and a tool may have run.', checkFirst],
  } as const,
}

/** Whether the details say what to do, and so are not folded. */
export function isInDetails(todo: string): boolean {
  return todo === asDetails
}
