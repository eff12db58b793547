import type { z } from 'zod'
import { terminalCommand, terminalStart } from '../../claude/driver/command-line.ts'
import type { Call, Domain } from '../../kernel/call/call.ts'
import { pairOf } from '../../kernel/call/pair.ts'
import type { sessionAttach } from './contract.ts'

/** session_attach: ends an idle process so that the person's claude can take over; a running turn keeps its process. */
export async function attach(
  input: z.output<typeof sessionAttach.input>,
  call: Call,
  domain: Domain,
): Promise<z.output<typeof sessionAttach.output>> {
  const { sessions, launcher, clock } = domain
  const pair = await pairOf(input, call, domain)
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
