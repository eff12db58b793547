import type { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type NamedTurnParts, namedTurn, unknownTurn } from '../../../kernel/call/named-turn.ts'
import type { Attachments } from '../../../platform/store/attachments.ts'
import type { SessionTurns } from '../../../platform/store/session-turns.ts'
import type { getAttachment } from '../contract.ts'

/** The dependencies of these operations. */
export interface AttachmentsParts extends NamedTurnParts {
  readonly sessionTurns: SessionTurns
  /** The contents of files that came with messages. */
  readonly attachments: Attachments
}

/** get_attachment: returns the content as it was when the message was sent. */
export function attachment(
  { turnId, number }: z.output<typeof getAttachment.input>,
  call: Call,
  parts: AttachmentsParts,
): z.output<typeof getAttachment.output> {
  const row = parts.sessionTurns.turn(namedTurn(turnId, parts))
  if (row === undefined)
    throw unknownTurn(`There is no turn ${turnId}.`, turnId, 'Use the id of a message.', call, parts)
  const file = row.attachments?.[number - 1]
  const content = file && parts.attachments.content(file)
  if (file !== undefined && content !== undefined) return { ...file, data: content.toString('base64') }
  const what = file ? `The file ${file.name} was deleted.` : `The message ${row.id} has no file ${number}.`
  throw new IrisError('not_found', what, 'turn_transcript lists the files of a message.')
}
