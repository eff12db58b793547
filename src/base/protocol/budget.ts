import { z } from 'zod'
import { IrisError } from './error.ts'

// The longest delay of a timer.
const maxMs = 2 ** 31 - 1

/**
 * The most that one ask may use, including everything it causes; an absent limit means no limit. Descriptions give the
 * allowed values.
 */
export const Budget = z.strictObject({
  turns: z.int().min(1).max(1_000_000).optional().describe('a whole number of turns from 1 to 1000000'),
  tokens: z.int().min(1).max(1e12).optional().describe('a whole number of tokens from 1 to 1000000000000'),
  cost: z.number().positive().optional().describe('a number of US dollars above 0'),
  time: z.int().min(1).max(maxMs).optional().describe(`a whole number of milliseconds from 1 to ${maxMs}`),
})
export type Budget = z.infer<typeof Budget>
/** A budget for all messages of one call together. */
export interface SharedBudget {
  readonly id: string
  readonly budget: Budget
}
export type Limit = keyof Budget
/** Turns, tokens, US dollars, milliseconds. */
export type Amounts = Readonly<Record<Limit, number>>

export const limits = ['turns', 'tokens', 'cost', 'time'] as const satisfies readonly Limit[]

/** The smaller limit of each kind; undefined if neither budget has a limit. */
export function narrowest(one: Budget | undefined, other: Budget | undefined): Budget | undefined {
  const held = limits.flatMap((limit): [Limit, number][] => {
    const amounts = [one?.[limit], other?.[limit]].filter((amount) => amount !== undefined)
    return amounts.length === 0 ? [] : [[limit, Math.min(...amounts)]]
  })
  return held.length === 0 ? undefined : (Object.fromEntries(held) as Budget)
}

/** The remainder of each limit; never below 0. */
export function leftOf(budget: Budget, used: Amounts): Budget {
  const left = limits.flatMap((limit): [Limit, number][] => {
    const allowed = budget[limit]
    return allowed === undefined ? [] : [[limit, Math.max(0, allowed - used[limit])]]
  })
  return Object.fromEntries(left) as Budget
}

export function amountText(limit: Limit, amount: number): string {
  const ending = amount === 1 ? '' : 's'
  return {
    turns: `${amount} turn${ending}`,
    tokens: `${amount} token${ending}`,
    cost: `$${dollars(amount)}`,
    time: `${amount} ms`,
  }[limit]
}

/** Rounds to six decimals, so that 0.1 + 0.2 is shown as 0.3. */
function dollars(amount: number): string {
  return String(Number(amount.toFixed(6)))
}

export function overBudget(what: string): IrisError {
  const remedy = 'Answer with what is known. A person can ask again with a larger budget, or raise settings.budget.'
  return new IrisError('over_budget', what, remedy)
}
