import type { z } from 'zod'
import type { Clock } from '../../base/lib/clock.ts'
import { terminalCommand, terminalStart } from '../../claude/driver/command-line.ts'
import type { Call } from '../../kernel/call/call.ts'
import { type PairParts, pairOf } from '../../kernel/call/pair.ts'
import type { Launcher } from '../../kernel/pool/launch.ts'
import type { sessionAttach } from './contract.ts'

/** The dependencies of these operations. */
export interface TakeOverParts extends PairParts {
  readonly clock: Clock
  readonly launcher: Pick<Launcher, 'agents' | 'programs' | 'setups'>
}

/** session_attach: ends an idle process so that the person's claude can take over; a running turn keeps its process. */
export async function attach(
  input: z.output<typeof sessionAttach.input>,
  call: Call,
  parts: TakeOverParts,
): Promise<z.output<typeof sessionAttach.output>> {
  const { sessions, launcher, clock } = parts
  const pair = await pairOf(input, call, parts)
  // Refused before anything ends.
  const place = await launcher.programs.terminalFactsNow(pair.to)
  const { sessionId, runningTurnId } = await sessions.of(pair).leaveToPerson()
  const facts = { ...place, sessionId }
  return {
    ...pair,
    sessionId,
    ...terminalStart(facts),
    terminalCommand: terminalCommand(facts),
    ...(runningTurnId !== undefined && { runningTurnId }),
    timestamp: clock.now(),
  }
}
