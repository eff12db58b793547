import { join } from 'node:path'
import { startDirectoryOf } from '../../claude/driver/transcript-head.ts'
import { readConversation } from '../../claude/transcript/read-conversation.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { FoundFile } from '../../platform/machine/found-file.ts'
import type { FoundConversation } from '../../platform/store/sessions.ts'
import type { FoundDirectory } from './directory-walk.ts'

/** A conversation of Iris that the store does not know. */
export interface Orphan {
  readonly conversation: FoundConversation
  /** Why the conversation cannot continue. Null if it can. */
  readonly archivedWhy: string | null
}

/**
 * Reads `output_streams/<session id>/conversation.json`, which Iris writes for each of its conversations. Only that
 * file is bound to the session id: a person's fork of a transcript contains the same envelopes and the same name.
 * Resolves to undefined if the file contains another id, or if there is no transcript from which to continue.
 */
export async function readOrphan(
  { sessionId, path }: FoundDirectory,
  teams: ReadonlyMap<string, Pick<TeamConfig, 'realPath'>>,
  transcriptOf: (team: string, sessionId: string) => Promise<FoundFile | undefined>,
): Promise<Orphan | undefined> {
  const kept = await readConversation(join(path, 'conversation.json')).catch(() => undefined)
  if (kept?.sessionId !== sessionId) return undefined
  const { from, to, thread } = kept
  const transcript = await transcriptOf(to, sessionId)
  if (transcript === undefined) return undefined
  const { modifiedAt, createdAt } = transcript.facts
  const conversation = {
    from,
    to,
    thread,
    sessionId,
    createdAt: timeOf(kept.createdAt) ?? Math.floor(createdAt),
    lastUsedAt: timeOf(kept.lastUpdated) ?? Math.floor(modifiedAt),
  }
  return { conversation, archivedWhy: await elsewhere(transcript, to, teams.get(to)?.realPath) }
}

/**
 * Why, according to its transcript, the conversation does not belong to this team's project. Null if it does, or if its
 * project is unknown.
 */
async function elsewhere(transcript: FoundFile, team: string, directory: string | undefined): Promise<string | null> {
  const project = await startDirectoryOf(transcript)
  if (project === undefined || directory === undefined) return null
  // Claude Code writes real paths.
  return project === directory
    ? null
    : `found on disk; it belongs to ${project}, and team "${team}" is in ${directory} now`
}

function timeOf(iso: string | null): number | undefined {
  const time = Date.parse(iso ?? '')
  return Number.isNaN(time) ? undefined : time
}
