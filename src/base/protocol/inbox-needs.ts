import { z } from 'zod'
import type { SwitchboardSession } from './session-view.ts'

const count = z.number().int()

/** How many conversations need a person, by the reason that `needOf` gives, without those that the owner put off. */
export const Needs = z.object({
  waiting: count.describe('An agent asks whether it may use a tool'),
  failed: count.describe('The last message failed, or the process cannot be started'),
  openElsewhere: count.describe('A person has it open in a terminal, and messages wait'),
  expired: count.describe('Nobody answered in time whether a tool may run'),
})
export type Needs = z.infer<typeof Needs>

/** Why something is in the inbox. If several apply to a conversation, it is listed under the first. */
export const itemKinds = [
  'question',
  'expired',
  'failed',
  'broken',
  'openElsewhere',
  'undelivered',
  'event',
  'answer',
] as const
export const ItemKind = z.enum(itemKinds)
export type ItemKind = z.infer<typeof ItemKind>

/** A conversation that is working or needs a person. `id`: the id of its row. */
export interface UrgentSession {
  readonly id: number
  readonly session: SwitchboardSession
}

/**
 * Something that needs the owner. `id`: the id of the turn, question or conversation that it is about. Times are
 * milliseconds.
 */
export interface Need {
  readonly kind: ItemKind
  readonly id: string
  readonly sessionId: string
  /** When the need arose. */
  readonly at: number
  /** When the need expires, if it is still unanswered. */
  readonly deadline?: number
  readonly turnId?: string
  readonly permissionId?: string
  readonly toolName?: string
  readonly message?: string
  readonly text?: string
}
