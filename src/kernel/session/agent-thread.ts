import type { Pair } from '../../base/protocol/pair.ts'

const prefix = 'agent:'

/**
 * The thread of a pair's conversation with an agent. This is `agent:<name>` or, for a conversation in parallel with a
 * busy one, `agent:<name>@<number>`, where the numbers start at 2.
 */
export function agentThread(name: string, number = 1): string {
  return number === 1 ? `${prefix}${name}` : `${prefix}${name}@${number}`
}

/** The agent that answers in a thread. Undefined if the project's own Claude Code answers. */
export function agentOfThread(thread: string): string | undefined {
  return thread.startsWith(prefix) ? thread.slice(prefix.length).replace(/@\d+$/, '') : undefined
}

/** The name of the answering agent or team, as people see it. */
export function answererOf({ to, thread }: Pick<Pair, 'to' | 'thread'>): string {
  return agentOfThread(thread) ?? to
}

/** Identifies who answers in a conversation: a team, or one of its agents. An agent is not the same as its team. */
export function answering({ to, thread }: Pick<Pair, 'to' | 'thread'>): string {
  const agent = agentOfThread(thread)
  return agent === undefined ? to : `${to}'s agent ${agent}`
}
