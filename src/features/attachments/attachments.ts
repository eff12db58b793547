import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { ContentBlock } from '../../base/agent/content-block.ts'
import { shapeless } from '../../base/lib/visible.ts'
import { type Attachment, maxFiles, maxKept, maxOfFile, maxOfMessage } from '../../base/protocol/attachment.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { contentBlock, kindOf } from '../../claude/driver/content-blocks.ts'
import type { ListedFile } from '../../claude/driver/envelope.ts'
import type { OrchestratorParts } from '../../kernel/recover/parts.ts'
import type { HandedFiles, MessageFiles } from '../../kernel/session/message-files.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Ask, AttachedFile } from '../../kernel/turn/ask.ts'
import type { Turn } from '../../kernel/turn/turn.ts'
import { isNarrowed, roleOf } from '../../platform/config/roles.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'

export type MessageFilesParts = Pick<OrchestratorParts, 'config' | 'launcher' | 'ledger'>

/** The files of messages, in the store and next to their agents' conversations. */
export function messageFiles(parts: MessageFilesParts): MessageFiles {
  return {
    admitted: (ask, session) => admitted(ask, session, parts),
    keep: (facts, files) => keepContents(facts, files, parts.ledger),
    withContent: (file) => withContent(file, parts.ledger),
    handOver: (turn, session) => handOver(turn, session, parts),
  }
}

function admitted(
  { attachments, role }: Pick<Ask, 'attachments' | 'role'>,
  session: Session,
  { config, ledger }: Pick<OrchestratorParts, 'config' | 'ledger'>,
): readonly Attachment[] | null {
  if (attachments === undefined || attachments.length === 0) return null
  withinLimits(attachments, ledger)
  let shown = ledger.attachments.shownIn(session.row.id)
  return attachments.map(({ name, content }) => {
    const { kind, mediaType } = kindOf(content, shown)
    if (kind === 'file' && role !== undefined && isNarrowed(roleOf(config(), role))) throw notReadable(name, role)
    if (kind !== 'file') shown += content.length
    const sha256 = createHash('sha256').update(content).digest('hex')
    return { name: plainName(name), mediaType, bytes: content.length, kind, sha256 }
  })
}

function withinLimits(files: readonly AttachedFile[], { attachments }: OrchestratorParts['ledger']): void {
  const large = files.find(({ content }) => content.length > maxOfFile)
  if (large) throw tooLarge(large.name)
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0)
  if (files.length > maxFiles || bytes > maxOfMessage) {
    const what = `A message can have at most ${maxFiles} files and ${maxOfMessage} bytes of files.`
    throw new IrisError('invalid_input', what, 'Send the files with several messages.')
  }
  if (attachments.total() + bytes <= maxKept) return
  const what = `Iris already keeps ${maxKept} bytes of attached files, which is the limit.`
  throw new IrisError('limited', what, 'Delete conversations with their files: session_delete, deleteTranscripts.')
}

/** The error for a file that is larger than allowed. */
export function tooLarge(name: string): IrisError {
  const what = `${plainName(name)} is larger than ${maxOfFile} bytes, the limit for an attached file.`
  return new IrisError('invalid_input', what, 'Attach a smaller file, or name its path in the message.')
}

function notReadable(name: string, role: string): IrisError {
  return new IrisError(
    'not_allowed',
    `The role "${role}" may read only pictures and PDF files that Claude Code can show, and ${plainName(name)} is neither.`,
    'Put its text into the message.',
  )
}

const maxName = 120
const unusual = new RegExp(String.raw`[${shapeless}\p{C}\p{Zl}\p{Zp}<>:"|?*]`, 'gu')

/** The last part of a path, without invisible characters and without characters that file systems refuse. */
export function plainName(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1)!
  const plain = last.replace(unusual, '_').replace(/^\.+/, '')
  return plain.length > maxName ? plain.slice(-maxName).toWellFormed() : plain || 'attachment'
}

function keepContents(
  facts: readonly Attachment[] | null,
  files: readonly AttachedFile[] | undefined,
  { attachments }: OrchestratorParts['ledger'],
): void {
  for (const [index, { sha256 }] of (facts ?? []).entries()) attachments.add(sha256!, files![index]!.content)
}

function withContent(file: Attachment, { attachments }: OrchestratorParts['ledger']): AttachedFile {
  const content = attachments.content(file)
  if (content !== undefined) return { name: file.name, content }
  throw new IrisError(
    'not_found',
    `The file ${file.name} of the message was deleted.`,
    'Send the message again, with the file.',
  )
}

async function handOver(
  { id, facts: { attachments } }: Pick<Turn, 'id' | 'facts'>,
  session: Session,
  { launcher, ledger }: Pick<OrchestratorParts, 'launcher' | 'ledger'>,
): Promise<HandedFiles> {
  const blocks: ContentBlock[] = []
  const listed: ListedFile[] = []
  for (const [index, file] of (attachments ?? []).entries()) {
    const { name, mediaType, bytes } = file
    const { content } = withContent(file, ledger)
    const block = contentBlock(file, content)
    if (block !== undefined) blocks.push(block)
    const names = [id, `${index + 1}-${fileName(file)}`]
    const path = block ? undefined : await launcher.place(session, names, content).catch(refused(name))
    listed.push({ name, mediaType, bytes, ...(path !== undefined && { path }) })
  }
  return { blocks, listed }
}

/**
 * The file name extensions that make Claude Code read a file as something other than text, the usual extension of each
 * type first.
 */
const extensions: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/gif': ['.gif'],
  'image/webp': ['.webp'],
  'application/pdf': ['.pdf'],
}
const known = new Set(Object.values(extensions).flat())

/** A name that every shell and file system accepts unchanged, with the extension of the actual type. */
function fileName({ name, mediaType }: Pick<Attachment, 'name' | 'mediaType'>): string {
  const plain = name.replace(/[^\w.-]/g, '_')
  const extension = extname(plain).toLowerCase()
  const own = extensions[mediaType]
  if (own) return own.includes(extension) ? plain : `${plain}${own[0]}`
  return known.has(extension) ? `${plain}.txt` : plain
}

function refused(name: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof MachineError) && (error as NodeJS.ErrnoException).code === undefined) throw error
    if (error instanceof IrisError) throw error
    const why = error instanceof MachineError ? error.message : String((error as NodeJS.ErrnoException).code)
    throw new IrisError(
      'file_refused',
      `Iris cannot write the file ${name} where the team could read it: ${why}.`,
      "Check Claude Code's directory on the team's machine: its owner, permissions and free disk space.",
    )
  }
}
