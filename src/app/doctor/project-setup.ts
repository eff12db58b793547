import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../../base/lib/is-record.ts'
import { deadImports, maxOfInstructions } from '../../claude/driver/dead-imports.ts'
import type { SetupProblem } from '../../features/teams/contract.ts'
import type { ClaudeProgram } from '../../kernel/pool/claude-programs.ts'
import { settingsHere } from '../../kernel/pool/settings-files.ts'
import { claudeFile } from '../../platform/config/claude-file.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { plainText } from '../../platform/machine/plain-text.ts'
import { absentPlugins } from './absent-plugins.ts'
import { askedSettings, patienceMs } from './ask-claude.ts'
import { deadRules } from './dead-rules.ts'
import { jsonIn, partOf } from './json-in.ts'

const settingsFiles = ['.claude/settings.json', '.claude/settings.local.json']

/** `report`: Claude Code did not report which settings it ignores. */
export type ProjectProblem = SetupProblem | { readonly kind: 'report'; readonly text: string }

const noReport: ProjectProblem = {
  kind: 'report',
  text: `Claude Code gave no report on the settings here within ${patienceMs / 1000} s, so mistakes in them are not known`,
}

/** Claude Code's entry for each project, by the project's path. */
export type Allowances = Readonly<Record<string, unknown>>

export function allowancesIn(env: ClaudeProgram['env']): Allowances {
  return partOf(jsonIn(claudeFile(env)), 'projects')
}

/**
 * The parts of a project on this machine that Claude Code ignores. Asks Claude Code only where there are settings, and
 * starts nothing of the project. Never rejects.
 */
export async function setupProblems(
  { realPath: directory, mcpServers }: Pick<TeamConfig, 'realPath' | 'mcpServers'>,
  { executable, env, configDirectory }: Pick<ClaudeProgram, 'executable' | 'env' | 'configDirectory'>,
  allowances: Allowances = allowancesIn(env),
): Promise<readonly ProjectProblem[]> {
  const settings = [...settingsFiles.map((name) => join(directory, name)), join(configDirectory, 'settings.json')]
  const isAsked = typeof executable === 'string' && settings.some((file) => existsSync(file))
  const answer = isAsked ? await askedSettings({ executable, cwd: directory, env }) : undefined
  const home = env['HOME'] ?? '/'
  const project = partOf(allowances, directory)
  const imports = await deadImports(
    { directory, home, configDirectory },
    (path) => plainText(path, maxOfInstructions),
    async () => project['hasClaudeMdExternalIncludesApproved'] === true,
  )
  return [
    ...(isAsked && answer === undefined ? [noReport] : []),
    ...(answer?.ignored ?? []),
    ...deadRules((await settingsHere(directory, configDirectory)).files),
    ...(answer === undefined ? [] : absentPlugins(answer, configDirectory)),
    ...(mcpServers === 'project' ? ignoredServers(join(directory, '.mcp.json')) : []),
    ...imports,
  ]
}

/** Claude Code does not report servers that it ignores. */
function ignoredServers(file: string): readonly SetupProblem[] {
  const text = textOf(file)
  if (text.trim() === '') return []
  const problem = (what: string): SetupProblem => ({ kind: 'server', text: `Claude Code ignores ${what}` })
  try {
    const servers = partOf(JSON.parse(text), 'mcpServers')
    return Object.entries(servers).flatMap(([name, server]) => {
      const isUsable = isRecord(server) && [server['command'], server['url']].some((each) => typeof each === 'string')
      return isUsable
        ? []
        : [problem(`the MCP server ${name} in ${file}, which has no command and no url that is text.`)]
    })
  } catch {
    return [problem(`${file}, which is no JSON.`)]
  }
}

function textOf(file: string): string {
  try {
    // Reading a pipe would block.
    const facts = statSync(file)
    return facts.isFile() && facts.size <= maxOfInstructions ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}
