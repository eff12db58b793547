import { parseLine } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { SetupProblem } from '../../features/teams/contract.ts'
import { declaredMarketplaces, enabledPlugins, ignoredFiles } from './setup-report.ts'

const id = 'setup'

/**
 * Started with these arguments, this input and these variables, the CLI reads the settings of its directory and
 * answers. It runs no hook, starts no server, calls no model and contacts nobody.
 */
export const setupQuestion = {
  args: [
    '--print',
    '--verbose',
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--strict-mcp-config',
    '--no-session-persistence',
    // Otherwise the CLI would run a helper for the key, although nobody needs the key.
    '--settings',
    JSON.stringify({ cleanupPeriodDays: 36_500, disableAllHooks: true, apiKeyHelper: '' }),
  ],
  env: {
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  },
  input: `${JSON.stringify({ type: 'control_request', request_id: id, request: { subtype: 'get_settings' } })}\n`,
} as const

export interface SetupAnswer {
  /** The files that the CLI ignores. */
  readonly ignored: readonly SetupProblem[]
  /** The plugins that the settings enable, as `name@marketplace`. */
  readonly plugins: readonly string[]
  /** The marketplaces that the settings declare. */
  readonly marketplaces: readonly string[]
}

/** Parses the output of the CLI; undefined if it has not answered. An older build refuses the question. */
export function setupAnswer(printed: string): SetupAnswer | undefined {
  for (const text of printed.split('\n')) {
    const response = parseLine(text)?.['response']
    if (!isRecord(response) || response['request_id'] !== id) continue
    const answer = response['response']
    return {
      ignored: ignoredFiles(answer),
      plugins: enabledPlugins(answer),
      marketplaces: declaredMarketplaces(answer),
    }
  }
  return undefined
}
