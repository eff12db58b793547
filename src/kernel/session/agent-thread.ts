import type { Pair } from '../../base/protocol/pair.ts'

const prefix = 'agent:'

/**
 * The thread of a pair's conversation with an agent: `agent:<name>`, or `agent:<name>@<number>`, from 2 on, for
 * conversations parallel to a busy one.
 */
export function agentThread(name: string, number = 1): string {
  return number === 1 ? `${prefix}${name}` : `${prefix}${name}@${number}`
}

/** The agent that answers in a thread; undefined: the project's own Claude Code. */
export function agentOfThread(thread: string): string | undefined {
  return thread.startsWith(prefix) ? thread.slice(prefix.length).replace(/@\d+$/, '') : undefined
}

/** The name of the answering agent or team, for people. */
export function answererOf({ to, thread }: Pick<Pair, 'to' | 'thread'>): string {
  return agentOfThread(thread) ?? to
}

/** Identifies who answers in a conversation: a team, or one of its agents, which counts separately. */
export function answering({ to, thread }: Pick<Pair, 'to' | 'thread'>): string {
  const agent = agentOfThread(thread)
  return agent === undefined ? to : `${to}'s agent ${agent}`
}
