import { FoundFile } from '../../platform/machine/found-file.ts'
import { projectSlug, worktreePrefix } from './project-slug.ts'

/**
 * Moves a conversation, and the files that the CLI and Iris keep next to it, to the directory that the CLI names after
 * the project's real path. No process may have it open. Builds before 2.1.330 resume a conversation only from there. A
 * conversation in a worktree of the project is not moved.
 */
export async function movedTranscript(found: FoundFile, realPath: string): Promise<FoundFile> {
  const { tree, facts } = found
  const [projects, former, file] = facts.names
  const slug = projectSlug(realPath)
  if (file === undefined || former === slug || former?.startsWith(worktreePrefix(realPath))) return found
  const beside = file.replace(/\.jsonl$/, '')
  await tree.move([...facts.names.slice(0, -1), beside], [projects!, slug, beside]).catch(unlessAbsent)
  const names = [projects!, slug, file]
  await tree.move(facts.names, names)
  const moved = await tree.find(names)
  return moved ? new FoundFile(tree, moved) : found
}

function unlessAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
