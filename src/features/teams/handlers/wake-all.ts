import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { toIrisError } from '../../../base/protocol/error.ts'
import { mainThread, type Pair } from '../../../base/protocol/pair.ts'
import type { SessionHandles } from '../../../kernel/accept/session-handle.ts'
import { askerOf } from '../../../kernel/call/asker.ts'
import type { Call } from '../../../kernel/call/call.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { teamWakeAll } from '../contract.ts'

/** The dependencies of these operations. */
export interface WakeAllParts {
  readonly config: () => Config
  readonly clock: Clock
  /** Conversations by their pairs. */
  readonly sessions: SessionHandles
}

type Output = z.output<typeof teamWakeAll.output>
type Woken = Output['teams'][number]

const usuallyAtOnce = 4

/**
 * team_wake_all: starts processes one after the other, or several at once. Takes only free places of the pool, and ends
 * no process.
 */
export async function wakeAll(
  input: z.output<typeof teamWakeAll.input>,
  call: Call,
  parts: WakeAllParts,
): Promise<Output> {
  const { config, clock } = parts
  const began = clock.elapsed()
  const from = askerOf(call.auth, input.fromTeam, config())
  const names = [...config().teams.keys()].filter((name) => name !== from).toSorted()
  const atOnce = input.parallel === true ? (input.maxParallel ?? usuallyAtOnce) : 1
  let done = 0
  const teams = await eachOf(names, atOnce, async (to) => {
    const woken = await wakeOne({ from, to, thread: input.thread ?? mainThread }, call, parts)
    done += 1
    call.progress({ message: `${to}: ${woken.error?.message ?? woken.status} (${done} of ${names.length})` })
    return woken
  })
  const count = (fits: (woken: Woken) => boolean): number => teams.filter(fits).length
  const summary = {
    total: teams.length,
    alreadyAwake: count(({ alreadyAwake }) => alreadyAwake),
    woken: count(({ status, alreadyAwake }) => status === 'awake' && !alreadyAwake),
    failed: count(({ status }) => status === 'failed'),
    leftAsleep: count(({ status }) => status === 'asleep'),
  }
  return {
    from,
    message: summaryText(summary, parts),
    teams,
    summary,
    duration: clock.elapsed() - began,
    timestamp: clock.now(),
  }
}

async function wakeOne(pair: Pair, call: Call, { sessions }: WakeAllParts): Promise<Woken> {
  const team = pair.to
  try {
    const woken = await sessions.of(pair).wakeIfRoom(call.signal)
    return woken ? { team, status: 'awake', ...woken } : { team, status: 'asleep', alreadyAwake: false }
  } catch (error) {
    const { code, message, remedy } = toIrisError(error)
    return { team, status: 'failed', alreadyAwake: false, error: { code, message, remedy } }
  }
}

function summaryText(
  { total, woken, alreadyAwake, failed, leftAsleep }: Output['summary'],
  { sessions }: WakeAllParts,
): string {
  const parts = [`${woken} of ${total} woken`, `${alreadyAwake} awake already`]
  if (failed > 0) parts.push(`${failed} did not start`)
  if (leftAsleep > 0) {
    parts.push(
      `${leftAsleep} left asleep: all ${sessions.processes.maxProcesses} places of the pool are taken (settings.maxProcesses)`,
    )
  }
  return `${parts.join(', ')}.`
}

/** Results in the order of the items; at most `atOnce` items are worked on at the same time. */
async function eachOf<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
