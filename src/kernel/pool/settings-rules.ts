import { isRecord } from '../../base/lib/is-record.ts'
import { handedRule } from '../../base/rule/handed-rule.ts'
import type { FoundText, Machine } from '../../platform/machine/machine.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'

/** Deny rules and ask rules, as in Claude Code's settings files. */
export interface SettingsRules {
  readonly deny: readonly string[]
  readonly ask: readonly string[]
}

type Places = Pick<Machine, 'project' | 'claude'>

const maxBytes = 1024 * 1024
const inProject = ['.claude/settings.json', '.claude/settings.local.json']

/**
 * The rules of all settings files that Claude Code applies in the team's project, except an administrator's files.
 * `path`: the project's path, to which the rules in the project's files are relative. Throws MachineError for a file
 * that exists but cannot be read.
 */
export async function settingsRules({ project, claude }: Places, path: string): Promise<SettingsRules> {
  // Any of these files may be a link, for example if a person keeps settings in a repository. Claude Code follows
  // links, and this reader has only the rights of the team's agents.
  const read = async (name: string): Promise<SettingsRules> => rulesIn(await textOf(project, name))
  const [own, ...shared] = await Promise.all([claude.path(['settings.json']), ...inProject].map(read))
  const fromProject = (rules: readonly string[]) => rules.map((rule) => handedRule(rule, { project: path }))
  return {
    deny: [...own!.deny, ...shared.flatMap(({ deny }) => fromProject(deny))],
    ask: [...own!.ask, ...shared.flatMap(({ ask }) => fromProject(ask))],
  }
}

async function textOf(project: Places['project'], name: string): Promise<string | undefined> {
  const found: FoundText = await project.readText(name, { mostBytes: maxBytes, anywhere: true })
  if (found.kind === 'unusable') throw new MachineError(`${name} cannot be used: ${found.problem}`)
  return found.kind === 'text' ? found.text : undefined
}

/** Claude Code ignores settings that are not JSON. */
export function rulesIn(text: string | undefined): SettingsRules {
  let settings: unknown
  try {
    settings = text === undefined ? undefined : JSON.parse(text)
  } catch {
    settings = undefined
  }
  const permissions = isRecord(settings) && isRecord(settings['permissions']) ? settings['permissions'] : {}
  return { deny: textsIn(permissions['deny']), ask: textsIn(permissions['ask']) }
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((rule) => typeof rule === 'string') : []
}
