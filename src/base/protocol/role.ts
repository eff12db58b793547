import { mainThread } from './pair.ts'

const prefix = 'role:'

/**
 * The thread in which a pair talks with the rights of a role: `role:<name>` for the main thread, otherwise
 * `role:<name>:<thread>`. So each role has its own conversations and processes, and the thread itself states the
 * rights.
 */
export function roleThread(role: string, thread: string): string {
  return thread === mainThread ? `${prefix}${role}` : `${prefix}${role}:${thread}`
}

/** The role whose rights apply in a thread. Undefined if the team's own rights apply. */
export function roleOfThread(thread: string): string | undefined {
  return isRoleThread(thread) ? thread.slice(prefix.length).split(':', 1)[0] : undefined
}

/** The thread that a role's thread belongs to; the inverse of `roleThread`. Any other thread is returned unchanged. */
export function threadBesideRole(thread: string): string {
  if (!isRoleThread(thread)) return thread
  const [, ...named] = thread.slice(prefix.length).split(':')
  return named.length === 0 ? mainThread : named.join(':')
}

/** Whether a thread belongs to a role. Callers may not name such a thread themselves. */
export function isRoleThread(thread: string): boolean {
  return thread.startsWith(prefix)
}
