import { isAbsolute, join } from 'node:path'
import { isRecord } from '../../base/lib/is-record.ts'
import {
  deadImports,
  instructionFiles,
  maxOfInstructions,
  type ReadInstructions,
} from '../../claude/driver/dead-imports.ts'
import { configDirectory } from '../../claude/driver/environment.ts'
import type { SetupProblem } from '../../features/teams/contract.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { Machine } from '../../platform/machine/machine.ts'
import { hasAny } from '../../platform/machine/plain-text.ts'

/** Maximum size, in bytes, of Claude Code's file with a person's data for all projects. */
const maxOfPersonal = 16 * 1024 * 1024

/**
 * The imports of a team's instructions that its processes do not read. Everything is read with the rights of its
 * agents, who may write there. `env`: the environment of such a process. Throws MachineError, and `host_unreachable`.
 */
export async function importsOfTeam(
  { project }: Pick<Machine, 'project'>,
  { realPath: directory, remote }: Pick<TeamConfig, 'realPath' | 'remote'>,
  env: Readonly<Record<string, string>>,
): Promise<readonly SetupProblem[]> {
  const places = { directory, home: env['HOME'] ?? '/', configDirectory: configDirectory(env) }
  if (!isAbsolute(places.configDirectory)) return []
  // Avoids starting the program that reads the project if there is nothing to read.
  if (remote === undefined && !(await hasAny(instructionFiles(places)))) return []
  const read = async (path: string, mostBytes: number): ReturnType<ReadInstructions> => {
    const found = await project.readText(path, { mostBytes, anywhere: true })
    return found.kind === 'text' ? found : found.kind === 'absent' ? 'absent' : 'unread'
  }
  const mayLeave = async (): Promise<boolean> => {
    const former = await read(join(places.configDirectory, '.config.json'), maxOfPersonal)
    const usual = join(env['CLAUDE_CONFIG_DIR'] || places.home, '.claude.json')
    const found = former === 'absent' ? await read(usual, maxOfPersonal) : former
    return typeof found !== 'string' && allowsImports(found.text, directory)
  }
  return deadImports(places, (path) => read(path, maxOfInstructions), mayLeave)
}

/** Whether a person has allowed the project to import from outside. */
function allowsImports(text: string, directory: string): boolean {
  try {
    const projects = partOf(JSON.parse(text), 'projects')
    return partOf(projects, directory)?.['hasClaudeMdExternalIncludesApproved'] === true
  } catch {
    return false
  }
}

function partOf(value: unknown, key: string): Readonly<Record<string, unknown>> | undefined {
  const part = isRecord(value) ? value[key] : undefined
  return isRecord(part) ? part : undefined
}
