import { isAbsolute, normalize } from 'node:path'
import { maxOfFile, type NewAttachment } from '../../../base/protocol/attachment.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { external, mainThread } from '../../../base/protocol/pair.ts'
import { isProgramAsker } from '../../../base/protocol/program.ts'
import { managedTexts } from '../../../claude/driver/managed-settings.ts'
import { askerOf } from '../../../kernel/call/asker.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { rulesIn, settingsRules } from '../../../kernel/pool/settings-rules.ts'
import type { AttachedFile } from '../../../kernel/turn/ask.ts'
import type { Config } from '../../../platform/config/config.ts'
import { workingTeam } from '../../../platform/config/former-teams.ts'
import type { Machines } from '../../../platform/machine/machine.ts'
import { MachineError } from '../../../platform/machine/machine-error.ts'
import type { SessionTurns } from '../../../platform/store/session-turns.ts'
import type { SendInput } from '../../messages/contract/messages.ts'
import type { Asking, Policy } from '../../permission/policy.ts'
import { tooLarge } from '../attachments.ts'

/** The dependencies of these operations. */
export interface AttachedFilesParts {
  readonly config: () => Config
  readonly machines: Machines
  readonly sessionTurns: SessionTurns
  /** Which tools agents may use. */
  readonly policy: Pick<Policy, 'refusedToRead'>
}

/**
 * The files of a call; undefined if it has none. A path belongs to the asker's project, and is read with the rights of
 * that project's agents. Throws `invalid_input`, `file_refused` and `not_allowed`.
 */
export async function attachedFiles(
  { attachments, fromTeam }: Pick<SendInput, 'attachments' | 'fromTeam'>,
  call: Call,
  parts: AttachedFilesParts,
): Promise<readonly AttachedFile[] | undefined> {
  if (attachments === undefined) return undefined
  const from = askerOf(call.auth, fromTeam, parts.config())
  const files: AttachedFile[] = []
  for (const attachment of attachments) files.push(await attachedFile(attachment, from, call, parts))
  return files
}

async function attachedFile(
  file: NewAttachment,
  from: string,
  call: Call,
  parts: AttachedFilesParts,
): Promise<AttachedFile> {
  const { path, data, name } = file
  if ((path === undefined) === (data === undefined))
    throw new IrisError('invalid_input', 'An attachment must have either a path or data.', 'Give one of the two.')
  if (path === undefined) return { name: name ?? 'attachment', content: decoded(data!, name ?? 'attachment') }
  if (from === external || isProgramAsker(from)) {
    const what = `Only a team can attach a file by path; otherwise Iris would read ${path} with its own rights.`
    throw new IrisError('not_allowed', what, "Send the file's content in data.")
  }
  return { name: name ?? path, content: await readFrom(from, path, call, parts) }
}

function decoded(data: string, name: string): Buffer {
  if (data.length > Math.ceil(maxOfFile / 3) * 4) throw tooLarge(name)
  const content = Buffer.from(data, 'base64')
  // Node decodes what it can, and ignores the rest.
  if (content.toString('base64') === data) return content
  throw new IrisError('invalid_input', 'The data of an attachment is not base64.', 'Encode it without line breaks.')
}

/** A file of the team's project, if this conversation's agent may read it. Throws `file_refused` and `not_allowed`. */
export async function readFrom(
  team: string,
  path: string,
  call: Call,
  parts: AttachedFilesParts,
  action: 'attached' | 'sent' = 'attached',
): Promise<Buffer> {
  const { machines, policy } = parts
  const machine = machines.of(team)
  // The path is normalized, because rules judge it by its text, but the system resolves links before "..".
  const plain = isAbsolute(path) ? normalize(path) : `./${normalize(path)}`
  try {
    const why = await policy.refusedToRead(askingOf(team, call, parts), plain, await deniedBySettings(team, parts))
    if (why !== undefined) throw new IrisError('not_allowed', why, 'Name a file that you may read.')
    const found = await machine.project.readBytes(plain, maxOfFile)
    if (found.kind === 'bytes') return found.bytes
    throw refused(path, action, found.kind === 'absent' ? 'there is no such file in the project' : found.problem)
  } catch (error) {
    if (error instanceof MachineError) throw refused(path, action, error.message)
    throw error
  }
}

function refused(path: string, action: string, why: string): IrisError {
  return new IrisError('file_refused', `${path} is not ${action}: ${why}.`, 'Name a file of your own project.')
}

/** The conversation whose rules apply: that of the agent's turn, else none. */
function askingOf(team: string, { auth: { parent } }: Call, { sessionTurns }: AttachedFilesParts): Asking {
  const row = parent && sessionTurns.turn(parent.turnId)
  return parent && row
    ? { ...parent.session, row: { id: row.session } }
    : { from: external, to: team, thread: mainThread, row: { id: -1 } }
}

/** The deny rules of all the settings that Claude Code applies in the team's project. */
async function deniedBySettings(team: string, { config, machines }: AttachedFilesParts): Promise<readonly string[]> {
  const { remote, realPath = '/' } = workingTeam(config(), team) ?? {}
  const { deny } = await settingsRules(machines.of(team), realPath)
  const managed = remote === undefined ? managedTexts() : []
  return [...deny, ...managed.flatMap((text) => rulesIn(text).deny)]
}
