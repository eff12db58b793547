import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { isRecord } from '../../../base/lib/is-record.ts'
import { claudeFile } from '../../../platform/config/claude-file.ts'
import { type Environment, irisHome, userHome } from '../../../platform/config/home.ts'
import { isInside } from '../../../platform/config/is-inside.ts'
import { claudeState, serversIn } from './claude.ts'
import { serverName } from './entry.ts'

/** Real paths of directories in which the person has used Claude Code and that may become teams; last used first. */
export function foundProjects(env: Environment): readonly string[] {
  const { projects } = stateOf(env)
  const configDirectory = env['CLAUDE_CONFIG_DIR'] || join(userHome(env), '.claude')
  const paths = Object.keys(isRecord(projects) ? projects : {}).flatMap((path) => realDirectory(path))
  const mayBe = (path: string): boolean =>
    // A directory that contains the user's home would give a team everything.
    !isInside(path, realDirectory(userHome(env))[0] ?? userHome(env)) &&
    ![configDirectory, irisHome(env)].some((own) => isInside(own, path))
  const used = [...new Set(paths)].filter(mayBe).map((path) => ({ path, at: lastUse(configDirectory, path) }))
  return used.toSorted((a, b) => b.at - a.at).map(({ path }) => path)
}

/**
 * Projects for which the person has registered an MCP server named iris in Claude Code's local scope (only for
 * themselves and one project). The paths are as Claude Code writes them.
 */
export function projectsWithIris(env: Environment): readonly string[] {
  const { projects } = stateOf(env)
  return Object.entries(isRecord(projects) ? projects : {}).flatMap(([path, settings]) =>
    isRecord(settings) && serversIn(settings)?.[serverName] !== undefined ? [path] : [],
  )
}

function stateOf(env: Environment): Readonly<Record<string, unknown>> {
  try {
    return claudeState(claudeFile(env))
  } catch {
    return {}
  }
}

/** The directory's real path; empty if `path` is not a directory. */
function realDirectory(path: string): readonly string[] {
  try {
    return path.startsWith(sep) && statSync(path).isDirectory() ? [realpathSync(path)] : []
  } catch {
    return []
  }
}

/**
 * When a conversation in the project last changed, milliseconds since the epoch; 0 if unknown. The name of the
 * directory with a project's conversations is usually the project's path, with - for every character except letters and
 * digits.
 */
function lastUse(configDirectory: string, path: string): number {
  const directory = join(configDirectory, 'projects', path.replaceAll(/[^A-Za-z0-9]/g, '-'))
  try {
    const times = readdirSync(directory).map((name) => statSync(join(directory, name)).mtimeMs)
    return Math.max(0, ...times)
  } catch {
    return 0
  }
}
