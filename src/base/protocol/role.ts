import { z } from 'zod'
import { mainThread } from './party.ts'

/** What an asker may have done; see docs/guide/roles.md. A colon would end it within a thread. */
export const RoleName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a role is 1 to 32 small letters, digits, _ or -, and starts with a letter')

const prefix = 'role:'

/**
 * The thread in which a pair talks with the rights of a role: `role:<name>`, and `role:<name>:<thread>` beside the main
 * one. So each role has conversations and processes of its own, and the rights are read from the conversation itself.
 */
export function roleThread(role: string, thread: string): string {
  return thread === mainThread ? `${prefix}${role}` : `${prefix}${role}:${thread}`
}

/** The role with whose rights a thread is answered; undefined: those of the team. */
export function roleOfThread(thread: string): string | undefined {
  return isRoleThread(thread) ? thread.slice(prefix.length).split(':', 1)[0] : undefined
}

/** The thread of which a role has its own: `roleThread` makes the other one of it again. */
export function threadBesideRole(thread: string): string {
  if (!isRoleThread(thread)) return thread
  const [, ...named] = thread.slice(prefix.length).split(':')
  return named.length === 0 ? mainThread : named.join(':')
}

/** Whether a thread belongs to a role: nobody names one by hand. */
export function isRoleThread(thread: string): boolean {
  return thread.startsWith(prefix)
}
