import type { z } from 'zod'
import type { sessionDelete } from '../../base/protocol/operations/sessions.ts'
import { pairText } from '../../base/protocol/party.ts'
import { deleteTranscript, findTranscript } from '../../claude/driver/transcript.ts'
import type { Session } from '../../core/session/session.ts'
import type { Call, Domain } from './call.ts'
import { busy, notHeld, pairOf } from './pair.ts'

type Input = z.output<typeof sessionDelete.input>

/** session_delete: resolves when the process, and everything that ran or waited, has ended. */
export async function deleteSession(
  input: Input,
  call: Call,
  domain: Domain,
): Promise<z.output<typeof sessionDelete.output>> {
  const { orchestrator, turns, pool, sessions, clock } = domain
  const began = clock.elapsed()
  const pair = pairOf(input, call, domain)
  const session = sessions.findOrRestore(pair)
  if (input.force !== true) notHeld(session, domain)
  const first = session?.queue[0]?.id
  if (first !== undefined && input.force !== true) throw busy(pair, first, 'cancel it and what waits behind it')
  // From this tick on an ask of the pair opens another conversation: nothing of this one can reach it.
  const cancelled = session ? orchestrator.end(session, 'deleted on request') : []
  const ended = cancelled.map((id) => turns.handle(id).wait())
  const processTerminated = session !== undefined && (await pool.retire(session, 'deleted on request', ended[0]))
  await Promise.all(ended)
  const deletedFiles = session && input.deleteTranscripts ? await deleteTranscripts(session, domain) : []
  return {
    ...pair,
    hadSession: session !== undefined,
    ...(session && { sessionId: session.sessionId }),
    processTerminated,
    cancelledTurnIds: [...cancelled],
    deletedFiles,
    message: session
      ? `The conversation ${pairText(pair)} is archived; the next message opens a new one.`
      : `There is no conversation ${pairText(pair)}; nothing was done.`,
    duration: clock.elapsed() - began,
    timestamp: clock.now(),
  }
}

/** What Claude Code wrote, and what people read. Nothing writes to them any more. */
async function deleteTranscripts(
  { to, sessionId }: Session,
  { machines, kept, transcripts }: Domain,
): Promise<string[]> {
  await kept.forget(sessionId)
  const own = await findTranscript(machines.of(to).claude, sessionId)
  if (own !== undefined) await deleteTranscript(own)
  const readable = await transcripts.remove(sessionId)
  return [own?.path, readable].filter((path) => path !== undefined)
}
