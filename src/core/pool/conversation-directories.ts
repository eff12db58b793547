import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { IrisError } from '../../base/protocol/error.ts'
import { projectSlug, worktreePrefix } from '../../claude/driver/project-slug.ts'

/**
 * The directories of `projects` that hold the conversations of a team, as names: the project's own, which is made if it
 * is missing, those of its worktrees, and the one in which a conversation was left by a project that has moved.
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

/** Throws `isolation_failed` where there is a link: what it leads to would be shown in its place. */
function makeDirectory(projects: string, names: string): void {
  mkdirSync(join(projects, names), { recursive: true, mode: 0o700 })
  for (let at = names; at !== '.'; at = dirname(at)) {
    if (isDirectory(join(projects, at))) continue
    throw new IrisError('isolation_failed', `${join(projects, at)} is a link.`, 'Put the directory in its place.')
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** What Claude Code notes for itself about a repository, kept under its root; undefined where the project is the root. */
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
