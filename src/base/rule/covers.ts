import type { PathPattern } from './path-pattern.ts'
import { agentTools, type Rule } from './rule.ts'
import { simpleCommands, trimmed } from './simple-commands.ts'
import { below, inputText, type Place, pathOf, realPathIn, type ToolUse } from './tool-use.ts'

/**
 * Whether allow rules cover a tool use. A compound command needs a rule for each of its commands; a command that cannot
 * be parsed with certainty is not covered. This only decides refusals under `grantPermission: no`: it never lets a tool
 * run.
 */
export function isCovered(rules: readonly Rule[], use: ToolUse, place: Place): boolean {
  if (rules.some((rule) => rule.kind === 'tool' && rule.allows(use.toolName))) return true
  if (use.toolName === 'Bash') return isCommandCovered(rules, trimmed(inputText(use, 'command') ?? ''))
  return rules.some((rule) => covers(rule, use, place))
}

function isCommandCovered(rules: readonly Rule[], command: string): boolean {
  const patterns = rules.flatMap((rule) => (rule.kind === 'command' ? [rule.pattern] : []))
  if (patterns.some(({ exact }) => exact === command)) return true
  const commands = simpleCommands(command) ?? ['']
  return commands.every((simple) =>
    patterns.some(({ exact, matches }) => exact === simple || (!runsOthers(simple) && matches(simple))),
  )
}

/**
 * As in the CLI, a rule with a star does not cover a `find` that runs or deletes something, nor a `find` with a glob: a
 * matching file may be named `-exec`.
 */
function runsOthers(simple: string): boolean {
  const plain = simple.replace(/['"\\]/g, '')
  if (!/^(?:\S*\/)?find /.test(plain)) return false
  return / -(?:exec|ok|delete|fprint|fls)/.test(plain) || standsForOthers(simple)
}

/** Whether the text has a glob: `*`, `?` or `[` outside of quotes. */
function standsForOthers(written: string): boolean {
  return /[*?[]/.test(written.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs, ''))
}

function covers(rule: Rule, use: ToolUse, place: Place): boolean {
  switch (rule.kind) {
    case 'path':
      return rule.tools.has(use.toolName) && coversPath(rule.pattern, use, place)
    case 'domain':
      return use.toolName === 'WebFetch' && isOfDomain(rule.domain, hostOf(use))
    case 'name':
      return rule.tools.has(use.toolName) && rule.isName(nameOf(use))
    case 'tool':
    case 'command':
      return false
  }
}

function coversPath(pattern: PathPattern, use: ToolUse, place: Place): boolean {
  const given = pathOf(use, place)
  const path = given === undefined ? undefined : realPathIn(place, given)
  return path !== undefined && matchesBelow(pattern, path, place)
}

export function matchesBelow(pattern: PathPattern, path: string, { project, home }: Place): boolean {
  const base = { root: '/', home, project }[pattern.base]
  const way = below(base, path)
  return way !== undefined && pattern.matches(way)
}

export function hostOf(use: ToolUse): string | undefined {
  const url = URL.parse(inputText(use, 'url') ?? '')
  return url && /^https?:$/.test(url.protocol) ? url.hostname.replace(/\.$/, '') : undefined
}

export function isOfDomain(domain: string, host: string | undefined): boolean {
  return host === domain || (domain.startsWith('*.') && (host?.endsWith(domain.slice(1)) ?? false))
}

/** The name of the agent or skill in the input. */
export function nameOf(use: ToolUse): string {
  const key = agentTools.includes(use.toolName) ? 'subagent_type' : 'skill'
  return inputText(use, key) ?? inputText(use, 'command') ?? ''
}
