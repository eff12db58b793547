import { projectSlug } from '../../claude/driver/project-slug.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { FoundFile } from '../../platform/machine/found-file.ts'
import type { FileTree } from '../../platform/machine/machine.ts'

/**
 * The place for a conversation's attachments. Claude Code lets an agent read everything in the directory of its
 * project's conversations.
 */
export function attachmentsIn({ realPath }: TeamConfig, sessionId: string, transcript?: FoundFile): readonly string[] {
  return ['projects', transcript?.facts.names.at(-2) ?? projectSlug(realPath), sessionId, 'attachments']
}

/** Writes a file, unless a file of that length exists there, and returns its path. Throws like `FileTree.write`. */
export async function placeFile(claude: FileTree, names: readonly string[], content: Buffer): Promise<string> {
  const known = await claude.find(names)
  if (known?.size !== content.length) await claude.write(names, pieces(content), { replace: true })
  return claude.path(names)
}

async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  yield content
}
