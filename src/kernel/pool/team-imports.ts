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

/** Maximum size, in bytes, of the file in which Claude Code keeps a person's data for all projects. */
const maxOfPersonal = 16 * 1024 * 1024

/**
 * The imports in a team's instructions that the team's processes do not read. All files are read with the rights of the
 * team's agents, because agents may have written them. `env`: the environment of the team's processes. Throws
 * MachineError and `host_unreachable`.
 */
export async function importsOfTeam(
  { project }: Pick<Machine, 'project'>,
  { realPath: directory, remote }: Pick<TeamConfig, 'realPath' | 'remote'>,
  env: Readonly<Record<string, string>>,
): Promise<readonly SetupProblem[]> {
  const places = { directory, home: env['HOME'] ?? '/', configDirectory: configDirectory(env) }
  if (!isAbsolute(places.configDirectory)) return []
  // If there is nothing to read, the program that reads the project need not be started.
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

/** Whether a person has allowed the project to import files from outside it. */
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
