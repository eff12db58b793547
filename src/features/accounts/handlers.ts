import type { Clock } from '../../base/lib/clock.ts'
import { isLoginLimit, isoTime, limitWords } from '../../base/protocol/limit.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import type { AccountLimits } from './account-limits.ts'
import { limitAwaited } from './limit-awaited.ts'

/** The dependencies of these operations. */
export interface AccountsParts {
  readonly clock: Clock
  /** Turns by their ids. */
  readonly turns: Turns
  readonly accountLimits: Pick<AccountLimits, 'of' | 'accounts' | 'holds' | 'news$'>
}

export interface Limits {
  readonly turns: Pick<Turns, 'living'>
  readonly clock: AccountsParts['clock']
  readonly accountLimits: Pick<AccountsParts['accountLimits'], 'of' | 'holds' | 'news$'>
}

/**
 * Reports in plain words, at once and after each change, that the turn is waiting for a limit of its account. Also
 * reports until when it will wait at least: 0 for a login that ran out, which may work again at any time. Returns a
 * function that ends the reports.
 */
export function hearLimits(turnId: string, limits: Limits, hear: (text: string, least: number) => void): () => void {
  const look = async (): Promise<void> => {
    const limited = await limitAwaited(turnId, limits.turns, limits.accountLimits)
    if (limited === undefined) return
    const { window, until } = limited
    const text = `Turn ${turnId} waits. Its account: ${limitWords(window, until, { at: isoTime, now: limits.clock.now() })}.`
    hear(text, isLoginLimit(window) ? 0 : until)
  }
  const news = limits.accountLimits.news$.subscribe((held) => {
    if (held === undefined || held === turnId) void look()
  })
  void look()
  return () => news.unsubscribe()
}
