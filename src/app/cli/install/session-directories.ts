import { readdirSync, realpathSync, rmdirSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { InnerDirectory } from '../../../base/lib/inner-directory.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { isInside } from '../../../platform/config/is-inside.ts'

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

/** Directories that Iris made in projects for session MCP files (docs/guide/connect.md) and that hold no such file. */
export function emptySessionDirectories(teams: readonly Team[], usual: string): readonly SessionDirectory[] {
  return teams.flatMap(({ realPath: root, sessionMcpPath = usual }) => {
    const path = resolve(root, sessionMcpPath)
    if (path === root || !isInside(root, path)) return []
    try {
      const isAlone = readdirSync(path).join() === ignores && plainFile(join(path, ignores)) === '*\n'
      return isAlone && realpathSync(path) === path ? [{ root, names: relative(root, path).split(sep) }] : []
    } catch {
      return []
    }
  })
}

const ignores = '.gitignore'

/** Removes the directory, and then its parents that are empty. */
export function removeDirectory({ root, names }: SessionDirectory): void {
  try {
    using directory = InnerDirectory.open(root, names, { make: false })
    directory.remove(ignores)
    for (let depth = names.length; depth > 0; depth -= 1) rmdirSync(join(root, ...names.slice(0, depth)))
  } catch {
    // Not empty, or a link by now.
  }
}
