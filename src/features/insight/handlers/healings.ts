import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { pairText } from '../../../base/protocol/pair.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { TracedTurn } from '../../traces/contract.ts'
import type { listHealings } from '../contract/reflect.ts'
import type { Healing } from '../healing.ts'

/** The dependencies of these operations. */
export interface HealingsParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly healing: Pick<Healing, 'rows'>
}

const usualPeriodMs = 30 * 86_400_000
const usualHealings = 100
/** How many faults are shown as steps of one turn. */
const maxOfATurn = 20

/**
 * list_healings: the faults found since `since`, newest first, at most `limit`. Default: 100 faults from the last 30
 * days.
 */
export function healings(
  { since, limit = usualHealings }: z.output<typeof listHealings.input>,
  { clock, config, healing }: HealingsParts,
): z.output<typeof listHealings.output> {
  const now = clock.now()
  const from = Math.min(since ?? now - usualPeriodMs, now)
  const found = healing.rows.list({ since: from, until: now, limit }).map(({ id: _id, undo, ...row }) => ({
    ...row,
    ...(undo !== null && { undo }),
  }))
  return { since: from, healings: found, isOn: config().insight.healing, timestamp: now }
}

/** Faults that Iris healed in the turn's conversation while the turn was open, as steps. */
export function healingSteps(
  turn: TracedTurn,
  now: number,
  { healing }: HealingsParts,
): { at: number; text: string }[] {
  const { acceptedAt: since, settledAt } = turn
  const rows = healing.rows.list({ since, until: settledAt ?? now, subject: pairText(turn), limit: maxOfATurn })
  return rows.flatMap(({ found, action, foundAt, healedAt }) => [
    { at: foundAt, text: `Iris found a fault: ${found}. What it does: ${action}.` },
    ...(healedAt === null ? [] : [{ at: healedAt, text: 'The fault is healed.' }]),
  ])
}
