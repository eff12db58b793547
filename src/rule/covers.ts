import type { PathPattern } from './path-pattern.ts'
import { agentTools, editingTools, type Rule } from './rule.ts'
import { simpleCommands, trimmed } from './simple-commands.ts'
import { below, inputText, type Place, pathOf, realPathOf, type ToolUse } from './tool-use.ts'

/**
 * The rules by which a tool may run, or undefined. A command of several needs a rule for each of them; what is not
 * understood for certain is not covered.
 */
export function allowedBy(rules: readonly Rule[], use: ToolUse, place: Place): readonly Rule[] | undefined {
  const whole = rules.find((rule) => rule.kind === 'tool' && rule.isTool(use.toolName))
  if (whole) return [whole]
  if (use.toolName === 'Bash') return commandAllowedBy(rules, trimmed(inputText(use, 'command') ?? ''))
  const one = rules.find((rule) => covers(rule, use, place))
  return one && [one]
}

function commandAllowedBy(rules: readonly Rule[], command: string): readonly Rule[] | undefined {
  const ofCommands = rules.filter((rule) => rule.kind === 'command')
  const exact = ofCommands.find(({ pattern }) => pattern.exact === command)
  if (exact) return [exact]
  const needed = new Set<Rule>()
  for (const simple of simpleCommands(command) ?? ['']) {
    const rule = ofCommands.find(
      ({ pattern }) => pattern.exact === simple || (!runsOthers(simple) && pattern.matches(simple)),
    )
    if (!rule) return undefined
    needed.add(rule)
  }
  return [...needed]
}

/** As in the CLI, a rule with a star does not cover what makes `find` run or delete something. */
function runsOthers(simple: string): boolean {
  const plain = simple.replace(/['"\\]/g, '')
  return /^(?:\S*\/)?find /.test(plain) && / -(?:exec|ok|delete|fprint|fls)/.test(plain)
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

/** What starts programs or says what may be done, by itself: only a rule that names it covers it. */
const guarded = new Set(
  (
    '.git .claude .vscode .idea .husky .mcp.json .claude.json .gitconfig .gitmodules .bashrc .bash_profile .bash_login ' +
    '.profile .zshrc .zprofile .zshenv .zlogin .envrc .ripgreprc .ssh .iris'
  ).split(' '),
)

function coversPath(pattern: PathPattern, use: ToolUse, place: Place): boolean {
  const given = pathOf(use, place)
  const path = given === undefined ? undefined : realPathOf(given)
  if (path === undefined || !matchesBelow(pattern, path, place)) return false
  if (!editingTools.includes(use.toolName)) return true
  const names = (below(place.project, path) ?? path).split('/')
  return names.every((name) => !guarded.has(name.toLowerCase()) || pattern.names(name))
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

/** Which agent or skill is meant. */
export function nameOf(use: ToolUse): string {
  const key = agentTools.includes(use.toolName) ? 'subagent_type' : 'skill'
  return inputText(use, key) ?? inputText(use, 'command') ?? ''
}
