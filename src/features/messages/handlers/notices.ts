import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { mainThread, type Pair } from '../../../base/protocol/pair.ts'
import { knownTeam, notTooDeep, usableNotice } from '../../../kernel/accept/admission.ts'
import type { Turns } from '../../../kernel/accept/turn-handle.ts'
import { askerOf, mustMayAsk, threadFor } from '../../../kernel/call/asker.ts'
import type { Call } from '../../../kernel/call/call.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { NoticeRow, Notices } from '../../../platform/store/notices.ts'
import type { ClusterView } from '../../cluster/view.ts'
import type { notify } from '../contract/notices.ts'
import { callKey, changesOf } from './messages.ts'
import { accepted } from './not-accepted.ts'

/** The dependencies of these operations. */
export interface NoticesParts {
  readonly config: () => Config
  readonly clock: Clock
  /** Turns by their ids. */
  readonly turns: Turns
  readonly notices: Notices
  /** Hosts with their own Iris. */
  readonly cluster: ClusterView
}

const dayMs = 86_400_000
const defaultTtlDays = 30

/** notify: leaves a notice, which the pair's next turn carries. Starts nothing. */
export async function leaveNotice(
  input: z.output<typeof notify.input>,
  call: Call,
  parts: NoticesParts,
): Promise<z.output<typeof notify.output>> {
  const { config, clock, notices } = parts
  const from = askerOf(call.auth, input.fromTeam, config())
  const { hosts } = parts.cluster
  const to = hosts.resolve(input.toTeam)
  mustMayAsk(call.auth, to)
  const pair = { from, to, thread: threadFor(call.auth, input.thread ?? mainThread) }
  const text = input.message.toWellFormed()
  const key = callKey(from, input.idempotencyKey, call)
  const now = clock.now()
  const earlier = key === undefined ? undefined : notices.byKey(key)
  if (earlier && !isSame(earlier, pair, text)) throw otherKey()
  if (!earlier) {
    if (hosts.hostOf(pair.to)) hosts.mustOffer(pair.to)
    else knownTeam(pair.to, config())
    usableNotice(text, notices.waiting(pair, now), pair)
    const { hop, chain } = parts.turns.nextTo(call.auth.parent?.turnId)
    notTooDeep(hop, chain)
  }
  const expires = now + (input.ttlDays ?? defaultTtlDays) * dayMs
  const { expiresAt } =
    earlier ??
    (await accepted(
      () => notices.leave({ ...pair, text, leftAt: now, expiresAt: expires, idempotencyKey: key ?? null }),
      () => key && notices.byKey(key),
    ))
  const changes = changesOf(input.message)
  return { status: 'left', ...pair, ...changes, pending: notices.waiting(pair, now), expiresAt, timestamp: now }
}

function isSame(earlier: NoticeRow, { from, to, thread }: Pair, text: string): boolean {
  return earlier.from === from && earlier.to === to && earlier.thread === thread && earlier.text === text
}

function otherKey(): IrisError {
  return new IrisError(
    'invalid_input',
    'This idempotency key belongs to another notice.',
    'Use a different key for each notice.',
  )
}
