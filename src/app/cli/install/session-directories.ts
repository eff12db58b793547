import { readdirSync, realpathSync, rmdirSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { InnerDirectory } from '../../../base/lib/inner-directory.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { isInside } from '../../../platform/config/is-inside.ts'

const ignoreFile = '.gitignore'

export interface SessionDirectory {
  /** Real path of the project. */
  readonly root: string
  /** The names of the directories from `root` to this one. */
  readonly names: readonly string[]
}

interface Team {
  readonly realPath: string
  readonly sessionMcpPath?: string | undefined
}

/**
 * Directories that Iris made in projects for session MCP configurations (docs/guide/connect.md) and that now contain
 * only Iris's own .gitignore. `usual` is the path for teams that do not set one.
 */
export function emptySessionDirectories(teams: readonly Team[], usual: string): readonly SessionDirectory[] {
  return teams.flatMap(({ realPath: root, sessionMcpPath = usual }) => {
    const path = resolve(root, sessionMcpPath)
    if (path === root || !isInside(root, path)) return []
    try {
      const entries = readdirSync(path)
      const isEmpty = entries.join() === ignoreFile && plainFile(join(path, ignoreFile)) === '*\n'
      return isEmpty && realpathSync(path) === path ? [{ root, names: relative(root, path).split(sep) }] : []
    } catch {
      return []
    }
  })
}

/** Removes the directory, and then its parents that are empty. */
export function removeDirectory({ root, names }: SessionDirectory): void {
  try {
    using directory = InnerDirectory.open(root, names, { make: false })
    directory.remove(ignoreFile)
    for (let depth = names.length; depth > 0; depth -= 1) rmdirSync(join(root, ...names.slice(0, depth)))
  } catch {
    // A directory is not empty, or a link has taken its place.
  }
}
