import type { z } from 'zod'
import type { sessionReboot } from '../../base/protocol/operations/sessions.ts'
import { pairText } from '../../base/protocol/party.ts'
import type { Call, Domain } from './call.ts'
import { busy, notHeld, pairOf } from './pair.ts'

type Input = z.output<typeof sessionReboot.input>

/** session_reboot: the old conversation is archived, and a process stands ready with a new one. */
export async function reboot(input: Input, call: Call, domain: Domain): Promise<z.output<typeof sessionReboot.output>> {
  const { orchestrator, turns, pool, sessions, clock } = domain
  const began = clock.elapsed()
  const pair = pairOf(input, call, domain)
  const old = sessions.findOrRestore(pair)
  if (input.force !== true) notHeld(old, domain)
  const first = old?.queue[0]?.id
  const running = first === undefined ? undefined : turns.handle(first)
  if (running && input.force !== true) throw busy(pair, running.id, 'cancel it')
  const session = old ? orchestrator.startAfresh(old, 'rebooted on request') : sessions.open(pair)
  const movedTurns = session.queue.length
  const processTerminated = old !== undefined && (await pool.retire(old, 'rebooted on request', running?.wait()))
  // What waited has a process started for it, and is told if that fails.
  if (session.queue.length === 0 && pool.state(session) === 'stopped') {
    await pool.acquire(session, call.signal)
    pool.release(session)
  }
  return {
    ...pair,
    hadPreviousSession: old !== undefined,
    ...(old && { oldSessionId: old.sessionId }),
    newSessionId: session.sessionId,
    processTerminated,
    ...(running && { cancelledTurnId: running.id }),
    movedTurns,
    message: old
      ? `${pairText(pair)} has begun anew; the old conversation is archived, its transcripts are kept.`
      : `${pairText(pair)} had no conversation; one has been opened.`,
    duration: clock.elapsed() - began,
    timestamp: clock.now(),
  }
}
