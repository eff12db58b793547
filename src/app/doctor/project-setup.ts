import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isRecord } from '../../base/lib/is-record.ts'
import type { SetupProblem } from '../../base/protocol/operations/teams.ts'
import { importsIn } from '../../claude/driver/instruction-imports.ts'
import type { ClaudeProgram } from '../../core/pool/claude-programs.ts'
import { claudeFile } from '../../platform/config/claude-file.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { isInside } from '../../platform/config/inside.ts'
import { ignoredSettings } from './ask-claude.ts'
import { jsonIn, partOf } from './json-in.ts'

const settingsFiles = ['.claude/settings.json', '.claude/settings.local.json']
const instructionFiles = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md']
/** As Claude Code: how far imports lead to other imports. */
const deepestImport = 5
const mostBytes = 256 * 1024
const mostFiles = 200

/** What Claude Code keeps of each project, by the project's path. */
export type Allowances = Readonly<Record<string, unknown>>

export function allowancesIn(env: ClaudeProgram['env']): Allowances {
  return partOf(jsonIn(claudeFile(env)), 'projects')
}

/**
 * What Claude Code ignores of a project on this machine. It is asked only where there are settings, and starts nothing of
 * the project. Never rejects.
 */
export async function setupProblems(
  { realPath: directory, mcpServers }: Pick<TeamConfig, 'realPath' | 'mcpServers'>,
  { executable, env, configDirectory }: Pick<ClaudeProgram, 'executable' | 'env' | 'configDirectory'>,
  allowances: Allowances = allowancesIn(env),
): Promise<readonly SetupProblem[]> {
  const settings = [...settingsFiles.map((name) => join(directory, name)), join(configDirectory, 'settings.json')]
  const isAsked = typeof executable === 'string' && settings.some((file) => existsSync(file))
  const ignored = isAsked ? await ignoredSettings({ executable, cwd: directory, env }) : []
  const home = env['HOME'] ?? '/'
  const project = partOf(allowances, directory)
  const mayLeave = project['hasClaudeMdExternalIncludesApproved'] === true
  const imports = [
    ...deadImports(
      instructionFiles.map((name) => join(directory, name)),
      { home, within: mayLeave ? '/' : directory },
    ),
    ...deadImports([join(configDirectory, 'CLAUDE.md')], { home, within: '/' }),
  ]
  return [
    ...(ignored ?? []),
    ...(mcpServers === 'project' ? ignoredServers(join(directory, '.mcp.json')) : []),
    ...imports,
  ]
}

/** Claude Code does not say that it ignores them. */
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

interface Reach {
  readonly home: string
  /** The directory outside of which Claude Code reads no import. */
  readonly within: string
}

/** The imports of instructions, and of what they import, that Claude Code does not read. */
function deadImports(instructions: readonly string[], { home, within }: Reach): readonly SetupProblem[] {
  const seen = new Set<string>()
  const dead = new Set<string>()
  let files = instructions
  for (let depth = 0; depth <= deepestImport && seen.size < mostFiles; depth += 1) {
    files = files.flatMap((file) => {
      if (seen.has(file)) return []
      seen.add(file)
      return importsIn(textOf(file)).flatMap(({ path, meant }) => {
        const [target, wanted] = [path, meant].map((each) => targetOf(each, file, home)) as [string, string]
        if (existsSync(target) && isInside(within, target)) return [target]
        const isSpoilt = !existsSync(target) && existsSync(wanted)
        const why = existsSync(target) ? outside : isSpoilt ? punctuated(path.slice(meant.length)) : absent
        dead.add(`${file} imports @${meant}, ${why}`)
        return []
      })
    })
  }
  return [...dead].map((text) => ({ kind: 'import', text }))
}

const absent = 'and there is no such file.'
const punctuated = (mark: string): string => `and Claude Code takes the "${mark}" after it for a part of the path.`
const outside =
  'which is outside of the project. Claude Code does not read it until you allow that, in a terminal: claude asks there.'

function targetOf(path: string, file: string, home: string): string {
  if (path.startsWith('~/')) return join(home, path.slice(2))
  return isAbsolute(path) ? path : resolve(dirname(file), path)
}

function textOf(file: string): string {
  try {
    // Reading a pipe would block.
    const facts = statSync(file)
    return facts.isFile() && facts.size <= mostBytes ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}
