import { isRecord } from '../../base/lib/is-record.ts'
import { agentTools, editingTools, readingTools } from '../../base/rule/rule.ts'
import type { SettingsFile } from '../../claude/driver/settings-login.ts'
import type { SetupProblem } from '../../features/teams/contract.ts'

/** `allow` is left out: if a rule there has no effect, Claude Code asks, so someone notices. */
const lists = ['deny', 'ask'] as const

/**
 * The tools whose names Iris recognizes, even in the wrong letter case. Iris cannot tell whether Claude Code knows any
 * other name.
 */
const tools = new Map(
  [
    ...editingTools,
    ...readingTools,
    ...agentTools,
    'Bash',
    'BashOutput',
    'KillShell',
    'Monitor',
    'WebFetch',
    'WebSearch',
    'Skill',
    'SlashCommand',
    'TodoWrite',
    'AskUserQuestion',
    'ExitPlanMode',
    'ToolSearch',
  ].map((name) => [name.toLowerCase(), name]),
)

/**
 * The rules in settings files that have no effect because of a typing mistake. Claude Code says so only in a terminal.
 */
export function deadRules(files: readonly SettingsFile[]): readonly SetupProblem[] {
  return files.flatMap(({ path, text }) =>
    lists.flatMap((list) =>
      rulesIn(text, list).flatMap((rule): readonly SetupProblem[] => {
        const why = mistakeIn(rule)
        const what = `Claude Code ignores the rule ${JSON.stringify(rule)} in permissions.${list} of ${path}`
        return why === undefined ? [] : [{ kind: 'settings', text: `${what}: ${why}` }]
      }),
    ),
  )
}

function mistakeIn(rule: string): string | undefined {
  const [name = ''] = rule.split('(', 1)
  const known = tools.get(name.trim().toLowerCase())
  if (known !== undefined && known !== name) {
    return `there is no tool ${JSON.stringify(name)}, only ${JSON.stringify(known)}`
  }
  if (rule.includes('(') && !rule.endsWith(')')) return 'it does not end with its parenthesis'
  return undefined
}

function rulesIn(text: string, list: (typeof lists)[number]): readonly string[] {
  try {
    const settings: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    const permissions = isRecord(settings) && isRecord(settings['permissions']) ? settings['permissions'] : {}
    const rules = permissions[list]
    return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : []
  } catch {
    // Claude Code ignores the whole file, which is reported as a problem of its own.
    return []
  }
}
