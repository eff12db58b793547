import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import type { sessionAttach } from '../../base/protocol/operations/attach.ts'
import { type Pair, pairText } from '../../base/protocol/party.ts'
import { terminalCommand, terminalStart } from '../../claude/driver/command-line.ts'
import type { Call, Domain } from './call.ts'
import { notHeld, pairOf } from './pair.ts'

/** session_attach: the transcript is where the person's claude looks for it, and no process of Iris holds it. */
export async function attach(
  input: z.output<typeof sessionAttach.input>,
  call: Call,
  domain: Domain,
): Promise<z.output<typeof sessionAttach.output>> {
  const { sessions, pool, takeOvers, launcher, clock } = domain
  const pair = pairOf(input, call, domain)
  const session = sessions.find(pair)
  if (session === undefined) throw nothingToOpen(pair, 'they have never spoken')
  await takeOvers.look(pair.to)
  notHeld(session, domain)
  const { running } = session
  if (running === undefined) await pool.stop(session, 'taken over in a terminal')
  const transcript = await launcher.transcriptOf(session)
  if (transcript === undefined && running === undefined)
    throw nothingToOpen(pair, 'Claude Code has no transcript of it')
  const facts = launcher.programs.terminalFacts(pair.to, session.sessionId)
  return {
    ...pair,
    sessionId: session.sessionId,
    directory: facts.directory,
    ...terminalStart(facts),
    terminalCommand: terminalCommand(facts),
    ...(running && { runningTurnId: running.id }),
    timestamp: clock.now(),
  }
}

function nothingToOpen(pair: Pair, why: string): IrisError {
  return new IrisError(
    'unknown_session',
    `There is no conversation of ${pairText(pair)} to open: ${why}.`,
    'Send it a message first; its answer begins the conversation.',
  )
}
