import { z } from 'zod'
import type { SwitchboardSession } from './session-view.ts'

const count = z.number().int()

/** How many conversations need a person, by reason; `needOf` and what the owner put off decide. */
export const Needs = z.object({
  waiting: count.describe('An agent asks whether it may use a tool'),
  failed: count.describe('The last message failed, or the process cannot be started'),
  openElsewhere: count.describe('A person has it open in a terminal, and messages wait'),
  expired: count.describe('Nobody answered in time whether a tool may run'),
})
export type Needs = z.infer<typeof Needs>

/** Why something is in the inbox; the first of them decides what a conversation is listed as. */
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

/** A conversation at work, or with a need. `id`: of its row. */
export interface UrgentSession {
  readonly id: number
  readonly session: SwitchboardSession
}

/** Something that needs the owner. `id`: of the turn, question or conversation that it is about. Times are milliseconds. */
export interface Need {
  readonly kind: ItemKind
  readonly id: string
  readonly sessionId: string
  /** When it came. */
  readonly at: number
  /** Unanswered by then it is over. */
  readonly deadline?: number
  readonly turnId?: string
  readonly permissionId?: string
  readonly toolName?: string
  readonly message?: string
  readonly text?: string
}
