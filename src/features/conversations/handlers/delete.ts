import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { pairText } from '../../../base/protocol/pair.ts'
import type { KeptTranscripts } from '../../../claude/driver/kept-transcripts.ts'
import { deleteTranscript, findTranscript } from '../../../claude/driver/transcript.ts'
import type { TranscriptFiles } from '../../../claude/transcript/transcript-files.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type PairParts, pairOf } from '../../../kernel/call/pair.ts'
import type { Machines } from '../../../platform/machine/machine.ts'
import type { Attachments } from '../../../platform/store/attachments.ts'
import type { ForgottenTurns } from '../../../platform/store/forgotten-turns.ts'
import type { Search } from '../../search/search.ts'
import type { sessionDelete } from '../contract/sessions.ts'

/** The dependencies of these operations. */
export interface DeleteParts extends PairParts {
  readonly clock: Clock
  readonly machines: Machines
  readonly search: Pick<Search, 'find' | 'takeIn' | 'startOver' | 'indexBytes'>
  /** Deletes what was said. */
  readonly forgotten: ForgottenTurns
  /** The contents of files that came with messages. */
  readonly attachments: Attachments
  readonly transcripts: Pick<TranscriptFiles, 'conversationOf' | 'remove'>
  readonly kept: Pick<KeptTranscripts, 'forget' | 'look'>
}

type Input = z.output<typeof sessionDelete.input>

/** session_delete: resolves when the process, and everything that ran or waited, has ended. */
export async function deleteSession(
  input: Input,
  call: Call,
  parts: DeleteParts,
): Promise<z.output<typeof sessionDelete.output>> {
  const { sessions, clock } = parts
  const began = clock.elapsed()
  const pair = await pairOf(input, call, parts)
  const left = await sessions.of(pair).end({ force: input.force === true })
  const deletedFiles = left && input.deleteTranscripts ? await deleteTranscripts(pair.to, left.sessionId, parts) : []
  return {
    ...pair,
    hadSession: left !== undefined,
    ...(left && { sessionId: left.sessionId }),
    processTerminated: left?.hadProcess === true,
    cancelledTurnIds: [...(left?.cancelled ?? [])],
    deletedFiles,
    message: left
      ? `The conversation ${pairText(pair)} is archived; the next message opens a new one.`
      : `There is no conversation ${pairText(pair)}; nothing was done.`,
    duration: clock.elapsed() - began,
    timestamp: clock.now(),
  }
}

/**
 * Deletes all that was said: the transcripts, which no process writes any more, the texts in the store and in the
 * search index, and the files that came with the messages. Returns the paths of Claude Code's transcript and of the
 * readable one.
 */
async function deleteTranscripts(team: string, sessionId: string, parts: DeleteParts): Promise<string[]> {
  const { attachments, forgotten, search } = parts
  attachments.forget(sessionId)
  forgotten.forgetSession(sessionId)
  await search.startOver()
  return deleteFilesOf(team, sessionId, parts)
}

/** Deletes the transcripts of a conversation that has ended. */
export async function deleteFilesOf(
  team: string,
  sessionId: string,
  { machines, kept, transcripts }: Pick<DeleteParts, 'machines' | 'kept' | 'transcripts'>,
): Promise<string[]> {
  await kept.forget(sessionId)
  const own = await findTranscript(machines.of(team).claude, sessionId)
  if (own !== undefined) await deleteTranscript(own)
  const readable = await transcripts.remove(sessionId)
  return [own?.path, readable].filter((path) => path !== undefined)
}
