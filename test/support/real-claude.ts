import { existsSync } from 'node:fs'
import { closedToolsOf } from '../../src/claude/driver/command-line.ts'
import { isElsewhere } from './is-elsewhere.ts'
import { isNightly, isStandard } from './tier.ts'
import type { WorldOptions } from './world.ts'

/** The real CLI in two versions: the newest, and the one that npm picks on Node 20. */
export const bothVersions = ['2.1.330', '2.1.197'] as const
export type ClaudeVersion = (typeof bothVersions)[number]

const [newest] = bothVersions

/** The versions that pins and other tests run with. */
export const claudeVersions: readonly ClaudeVersion[] = isNightly ? bothVersions : [newest]

/**
 * The versions of the tests in test/tiers/contracts.ts: `npm test` leaves the older one to `npm run test:all`. It does
 * not depend on where teams are.
 */
export const contractVersions: readonly ClaudeVersion[] =
  isNightly || !(isStandard || isElsewhere) ? bothVersions : [newest]

/** For a world: this version, or the double in the gate, where a test takes either. */
export function eitherOf(version: ClaudeVersion): Pick<WorldOptions, 'claude' | 'settings'> {
  return isNightly ? { settings: { claudePath: claudeBinary(version) } } : { claude: 'fake' }
}

/** Only the teams with a tested version. The name of a team with the older version ends in this. */
export function ofTestedVersions<T extends string>(teams: readonly T[]): readonly T[] {
  return teams.filter((team) => claudeVersions.length > 1 || !team.endsWith('Older'))
}

const platformPackage = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`
const places: Record<ClaudeVersion, string> = {
  '2.1.330': `node_modules/${platformPackage}`,
  '2.1.197': `node_modules/claude-code-2.1.197/node_modules/${platformPackage}`,
}

export function claudeBinary(version: ClaudeVersion): string {
  const file = new URL(`../../${places[version]}`, import.meta.url).pathname
  if (!existsSync(file)) throw new Error(`Claude Code ${version} is not installed: no ${places[version]}`)
  return file
}

/** Everything the CLI gets, built from nothing: its own home, a model on the loopback, no way to the rest. */
export function cliEnvironment(at: { version: ClaudeVersion; home: string; modelUrl: string }): Record<string, string> {
  return {
    HOME: at.home,
    // Else sockets and outputs of tools stay behind in the system's own.
    TMPDIR: at.home,
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: at.modelUrl,
    ANTHROPIC_API_KEY: 'dummy',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
    // The older version does not know the variable above.
    ...(at.version === '2.1.197' && { CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' }),
  }
}

/** The arguments that Iris passes to every CLI, without the session. */
export const irisArguments = [
  '--print',
  '--verbose',
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
  '--replay-user-messages',
  '--include-partial-messages',
  '--include-hook-events',
  '--permission-prompt-tool',
  'stdio',
  '--permission-mode',
  'default',
  '--strict-mcp-config',
  '--allowedTools',
  'mcp__iris',
  '--disallowedTools',
  closedToolsOf(undefined).join(','),
  '--settings',
  '{"cleanupPeriodDays":36500,"crossSessionInbound":"refuse","disabledMcpjsonServers":["iris"]}',
]
