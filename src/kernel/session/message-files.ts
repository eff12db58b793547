import type { ContentBlock } from '../../base/agent/content-block.ts'
import type { Attachment } from '../../base/protocol/attachment.ts'
import type { ListedFile } from '../../claude/driver/envelope.ts'
import type { Ask, AttachedFile } from '../turn/ask.ts'
import type { Turn } from '../turn/turn.ts'
import type { Session } from './session.ts'

/** The files of a turn as Claude gets them: some as blocks in the message, and a list of all files. */
export interface HandedFiles {
  readonly blocks: readonly ContentBlock[]
  readonly listed: readonly ListedFile[]
}

/** Stores the files that come with messages, and hands them to the agent. */
export interface MessageFiles {
  /**
   * The facts about the files of an ask. Null if the ask has none. Throws `invalid_input` for too many files or bytes,
   * and for a file that the role of the ask cannot read.
   */
  readonly admitted: (ask: Pick<Ask, 'attachments' | 'role'>, session: Session) => readonly Attachment[] | null
  /** Keeps the contents of a turn's files. Part of the transaction that accepts the turn. */
  readonly keep: (facts: readonly Attachment[] | null, files: readonly AttachedFile[] | undefined) => void
  /** A kept file with its content. Throws `not_found` if the content was deleted. */
  readonly withContent: (file: Attachment) => AttachedFile
  /**
   * Writes a turn's files, except those that become blocks of the message, to a place where its agent may read them.
   * Every delivery of a turn has the same files. Throws `not_found`, `file_refused`, and the errors of an unreachable
   * machine.
   */
  readonly handOver: (turn: Pick<Turn, 'id' | 'facts'>, session: Session) => Promise<HandedFiles>
}
