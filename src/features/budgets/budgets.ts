import type { Line } from '../../base/agent/line.ts'
import type { Clock } from '../../base/lib/clock.ts'
import {
  type Amounts,
  amountText,
  type Budget,
  type Limit,
  leftOf,
  limits,
  narrowest,
  overBudget,
  type SharedBudget,
} from '../../base/protocol/budget.ts'
import { pairText } from '../../base/protocol/pair.ts'
import type { Cancellation, Usage } from '../../base/protocol/turn.ts'
import { TokenMeter } from '../../claude/driver/token-meter.ts'
import type { TreeBudgets, TreeFigures } from '../../kernel/turn/tree-budgets.ts'
import type { Turn } from '../../kernel/turn/turn.ts'
import type { Config } from '../../platform/config/config.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { BudgetRow, TreeRows } from '../../platform/store/trees.ts'

export interface BudgetsParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly trees: TreeRows
}

/** The running totals of one budget: its turn and everything that turn caused, while any of them is open. */
interface Account extends BudgetRow {
  /** When its turn was accepted, in the clock's `elapsed` time. */
  readonly since: number
  turns: number
  tokens: number
  cost: number
  /** Turns that have not ended. */
  open: number
  isOver: boolean
  cancelTimer: () => void
}

/**
 * Enforces budgets. A budget covers its turn and everything that turn causes, so each turn is bound by its own budget
 * and by those of all its ancestors. The ledger is the record; accounts in memory avoid a query for each line.
 */
export class Budgets implements TreeBudgets {
  readonly #parts: BudgetsParts
  readonly #over: (turnId: string, why: Cancellation) => void
  readonly #accounts = new Map<string, Account>()
  readonly #meters = new WeakMap<Turn, TokenMeter>()

  /** `over` is called when a budget is used up, to end the tree of its turn. */
  constructor(parts: BudgetsParts, over: (turnId: string, why: Cancellation) => void) {
    this.#parts = parts
    this.#over = over
  }

  admit(parent: Turn | undefined, asked: Budget | undefined, shared?: SharedBudget): Budget | undefined {
    const covering = parent ? this.#covering(parent) : []
    if (shared) this.#parts.trees.addShared(shared.id, shared.budget, this.#parts.clock.now())
    const together = shared && (this.#accounts.get(shared.id) ?? this.#closedAccount(shared.id))
    for (const account of together ? [...covering, together] : covering) {
      const used = this.#used(account)
      const limit = limits.find((each) => used[each] >= (account.budget[each] ?? Number.POSITIVE_INFINITY))
      if (limit !== undefined) throw overBudget(usedUp(account, limit, used[limit]))
    }
    return parent === undefined ? narrowest(this.#parts.config().settings.budget, asked) : asked
  }

  leftFor(turn: Turn): Budget | undefined {
    return this.#covering(turn).reduce<Budget | undefined>((least, account) => {
      const used = this.#used(account)
      // `used` already counts the turn itself, and the host that answers it counts it again.
      const left = leftOf(account.budget, { ...used, turns: used.turns - 1 })
      return narrowest(least, atLeastOne(left))
    }, undefined)
  }

  opened(turn: Turn): void {
    const shared = turn.facts.sharedBudget
    if (shared !== null && !this.#accounts.has(shared)) this.#openShared(shared)
    for (const account of this.#covering(turn)) {
      account.turns += 1
      account.open += 1
    }
    const { budget, acceptedAt } = turn.facts
    if (budget !== null)
      this.#open({ id: turn.id, budget, acceptedAt, pair: turn.pair }, { turns: 1, tokens: 0, cost: 0 }, 1)
  }

  takenUp({ id, facts }: Turn): void {
    for (const each of [...facts.ancestors, id]) {
      const row = this.#accounts.has(each) ? undefined : this.#parts.trees.budgetOf(each)
      if (row) this.#open(row, this.#parts.trees.spent(each), 0)
      const account = this.#accounts.get(each)
      if (account) account.open += 1
    }
  }

  look(): void {
    for (const account of [...this.#accounts.values()]) this.#check(account)
  }

  saw(turn: Turn, line: Line): void {
    const accounts = this.#covering(turn)
    if (accounts.length === 0) return
    const meter = this.#meters.get(turn) ?? new TokenMeter()
    this.#meters.set(turn, meter)
    const before = meter.tokens
    meter.take(line)
    this.#spend(accounts, meter.tokens - before, 0)
  }

  settled(turn: Turn, usage: Usage | null): void {
    const accounts = this.#covering(turn)
    for (const account of accounts) account.open -= 1
    const seen = this.#meters.get(turn)?.tokens ?? 0
    this.#spend(accounts, Math.max(0, tokensOf(usage) - seen), usage?.costUsd ?? 0)
    for (const account of accounts) if (account.open === 0) this.#close(account)
  }

  close(): void {
    for (const account of [...this.#accounts.values()]) this.#close(account)
  }

  figures(
    turnId: string,
    { budget, acceptedAt, sharedBudget: shared }: Pick<TurnRow, 'budget' | 'acceptedAt' | 'sharedBudget'>,
    now = this.#parts.clock.now(),
  ): TreeFigures {
    const account = this.#accounts.get(turnId)
    const spent = this.#parts.trees.spent(turnId)
    const { turns, tokens, cost } = account ?? spent
    const time = Math.max(0, (spent.endedAt ?? now) - acceptedAt)
    const used = { turns, tokens, cost, time }
    return { used, ...(budget && { budget, left: leftOf(budget, used) }), ...(shared && this.#sharedFigures(shared)) }
  }

  #sharedFigures(id: string): Pick<TreeFigures, 'shared'> {
    const account = this.#accounts.get(id) ?? this.#closedAccount(id)
    if (account === undefined) return {}
    const { endedAt } = this.#parts.trees.spent(id)
    const { budget, acceptedAt } = account
    const used = { ...amountsOf(account), time: endedAt === null ? this.#used(account).time : endedAt - acceptedAt }
    return { shared: { used, budget, left: leftOf(budget, used) } }
  }

  /** Leaves out the turn that was just accepted, because `opened` counts it. */
  #openShared(id: string): void {
    const { trees } = this.#parts
    const row = trees.budgetOf(id)
    const spent = trees.spent(id)
    if (row) this.#open(row, { ...spent, turns: spent.turns - 1 }, 0)
  }

  /** The account of a shared budget that has no open turns now. */
  #closedAccount(id: string): Account | undefined {
    const { clock, trees } = this.#parts
    const row = trees.budgetOf(id)
    if (row === undefined) return undefined
    const since = clock.elapsed() - Math.max(0, clock.now() - row.acceptedAt)
    return { ...row, ...trees.spent(id), since, open: 0, isOver: false, cancelTimer: () => {} }
  }

  #covering({ id, facts }: Turn): Account[] {
    if (this.#accounts.size === 0) return []
    return [...facts.ancestors, id].flatMap((each) => this.#accounts.get(each) ?? [])
  }

  #open(row: BudgetRow, { turns, tokens, cost }: Omit<Amounts, 'time'>, open: number): void {
    const { clock } = this.#parts
    // Only the wall clock covers the time when no daemon was running.
    const age = Math.max(0, clock.now() - row.acceptedAt)
    const account: Account = {
      ...row,
      since: clock.elapsed() - age,
      turns,
      tokens,
      cost,
      open,
      isOver: false,
      cancelTimer: () => {},
    }
    const { time } = row.budget
    if (time !== undefined)
      account.cancelTimer = clock.after(Math.max(0, time - age), () => this.#end(account, 'time', time))
    this.#accounts.set(row.id, account)
  }

  #close(account: Account): void {
    account.cancelTimer()
    this.#accounts.delete(account.id)
  }

  #used({ turns, tokens, cost, since }: Account): Amounts {
    return { turns, tokens, cost, time: this.#parts.clock.elapsed() - since }
  }

  #spend(accounts: readonly Account[], tokens: number, cost: number): void {
    if (tokens === 0 && cost === 0) return
    for (const account of accounts) {
      account.tokens += tokens
      account.cost += cost
      this.#check(account)
    }
  }

  #check(account: Account): void {
    const { budget, tokens, cost } = account
    if (tokens > (budget.tokens ?? Number.POSITIVE_INFINITY)) this.#end(account, 'tokens', tokens)
    else if (cost > (budget.cost ?? Number.POSITIVE_INFINITY)) this.#end(account, 'cost', cost)
  }

  #end(account: Account, limit: Limit, used: number): void {
    if (account.isOver) return
    account.isOver = true
    const detail = `${usedUp(account, limit, used)} It was ended, with everything it had caused.`
    this.#over(account.id, { reason: 'over_budget', detail })
  }
}

/** A limit of zero is not valid, so the smallest valid amount replaces it. */
function atLeastOne({ turns, tokens, cost, time }: Budget): Budget {
  return {
    ...(turns !== undefined && { turns: Math.max(1, turns) }),
    ...(tokens !== undefined && { tokens: Math.max(1, tokens) }),
    ...(cost !== undefined && { cost: Math.max(Number.MIN_VALUE, cost) }),
    ...(time !== undefined && { time: Math.max(1, Math.ceil(time)) }),
  }
}

function amountsOf({ turns, tokens, cost }: Account): Omit<Amounts, 'time'> {
  return { turns, tokens, cost }
}

function usedUp({ id, pair, budget }: BudgetRow, limit: Limit, used: number): string {
  const allowed = amountText(limit, budget[limit]!)
  const usedText = `${amountText(limit, used)} ${used === 1 ? 'is' : 'are'} used`
  if (pair === undefined) return `All messages of one call may use ${allowed} together; ${usedText}.`
  return `Turn ${id} (${pairText(pair)}) may use ${allowed} with everything it causes; ${usedText}.`
}

function tokensOf(usage: Usage | null): number {
  if (usage === null) return 0
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
}
