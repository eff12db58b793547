import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { IrisError } from '../../base/protocol/error.ts'
import { projectSlug, worktreePrefix } from '../../claude/driver/project-slug.ts'

/**
 * Names of the directories in `projects` that contain a team's conversations: the project's own, which is created if
 * missing; those of its worktrees; and the directory of `transcript`, where a project that has been moved left a
 * conversation. Throws `isolation_failed` if the project's own directory is a link.
 */
export function conversationDirectories(
  projects: string,
  realPath: string,
  transcript: string | undefined,
): readonly string[] {
  const own = projectSlug(realPath)
  makeDirectory(projects, own)
  const prefix = worktreePrefix(realPath)
  const worktrees = readdirSync(projects).filter((name) => name.startsWith(prefix))
  const former = transcript === undefined ? [] : [basename(dirname(transcript))]
  return [...new Set([own, ...worktrees, ...former])].filter((name) => isDirectory(join(projects, name)))
}

/** Throws `isolation_failed` for a link, because the agent would see the link's target instead. */
function makeDirectory(projects: string, names: string): void {
  mkdirSync(join(projects, names), { recursive: true, mode: 0o700 })
  for (let at = names; at !== '.'; at = dirname(at)) {
    if (isDirectory(join(projects, at))) continue
    throw new IrisError(
      'isolation_failed',
      `${join(projects, at)} is a link, and Iris follows no links there.`,
      'Replace the link with the directory that it leads to.',
    )
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/**
 * Path, relative to `projects`, of Claude Code's memory for the repository around a project. Creates the directory if
 * it is missing. Undefined if there is no repository, or if the project is the repository's root. Throws
 * `isolation_failed` for a link.
 */
export function memoryOfRepository(projects: string, realPath: string): string | undefined {
  for (let at = realPath; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) {
      const memory = join(projectSlug(at), 'memory')
      if (at === realPath) return undefined
      makeDirectory(projects, memory)
      return memory
    }
    if (dirname(at) === at) return undefined
  }
}
