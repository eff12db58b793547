import type { AgentProcess } from '../../base/agent/process.ts'
import type { Prompt } from '../../base/agent/run.ts'
import { withAttachments, withContext, withSummary, wrapMessage } from '../../claude/driver/envelope.ts'
import { withSteers } from '../../claude/driver/joined-messages.ts'
import type { OwnText } from '../recover/own-text.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { HandedFiles } from '../session/message-files.ts'
import type { Session } from '../session/session.ts'
import type { Turn } from '../turn/turn.ts'

/** The parts of a delivery. */
export interface Parcel {
  /** Replaces the wrapped message. If undefined, the wrapped message is sent. */
  readonly text: OwnText | undefined
  readonly files: HandedFiles | undefined
  /** The summary that opens the conversation. */
  readonly opening: string | undefined
  /** The process that ended an earlier delivery of the turn with a result, and therefore has the message in memory. */
  readonly holder: AgentProcess | undefined
}

/**
 * The text that this delivery writes to the process. Does not repeat a message that the conversation already contains.
 */
export async function promptFor(
  turn: Turn,
  session: Session,
  process: AgentProcess,
  { text, files, opening, holder }: Parcel,
  parts: OrchestratorParts,
): Promise<Prompt> {
  const { seams, ledger, notices } = parts
  const isKnown =
    text !== undefined && (process === holder || (process.resumed && (await resumes(turn, session, parts))))
  const { message, responseSchema } = turn.facts
  const said = text?.words(isKnown) ?? wrapMessage(session, message, notices.ofTurn(turn.id), responseSchema)
  const joined = withSteers(session, ledger.steers.of(turn.id), withContext(seams.context.of(session, turn.id), said))
  // The conversation already contains the message, and with it the files and the summary that opened it.
  if (isKnown) return { text: joined, blocks: [] }
  return { text: withAttachments(files?.listed, withSummary(opening, joined)), blocks: files?.blocks ?? [] }
}

/**
 * Whether the transcript that the process resumed contains the message. An unreadable transcript counts as not
 * containing it.
 */
async function resumes(turn: Turn, session: Session, { evidence, ledger }: OrchestratorParts): Promise<boolean> {
  const deliveries = new Set(ledger.deliveriesOf(turn.id).map(({ uuid }) => uuid))
  try {
    return await evidence.holdsMessage(session, deliveries)
  } catch {
    return false
  }
}
