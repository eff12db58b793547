import type { Pair } from '../../base/protocol/pair.ts'

const prefix = 'agent:'

/**
 * The thread in which a pair talks with an agent: `agent:<name>`, or `agent:<name>@<number>` from 2 on for
 * conversations beside a busy one.
 */
export function agentThread(name: string, number = 1): string {
  return number === 1 ? `${prefix}${name}` : `${prefix}${name}@${number}`
}

/** The agent that answers in a thread; undefined: the project's own Claude Code. */
export function agentOfThread(thread: string): string | undefined {
  return thread.startsWith(prefix) ? thread.slice(prefix.length).replace(/@\d+$/, '') : undefined
}

/** Who answers in a conversation, for people: the agent, or the team. */
export function answererOf({ to, thread }: Pick<Pair, 'to' | 'thread'>): string {
  return agentOfThread(thread) ?? to
}

/** Names who answers in a conversation: a team, or one of its agents, which counts as somebody else. */
export function answering({ to, thread }: Pick<Pair, 'to' | 'thread'>): string {
  const agent = agentOfThread(thread)
  return agent === undefined ? to : `${to}'s agent ${agent}`
}
