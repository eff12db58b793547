import { type CommandPattern, commandPattern } from './command-pattern.ts'
import { type PathPattern, pathPattern } from './path-pattern.ts'
import { RuleMistake } from './rule-mistake.ts'
import { wildcard } from './wildcard.ts'

/**
 * A parsed permission rule in Claude Code's syntax. `text` is the original text. For a rule without parentheses,
 * `isTool` says which tools it covers as a deny rule, and `allows` which ones as an allow rule: a bare `Edit` denies
 * all editing tools, but allows only `Edit`.
 */
export type Rule = { readonly text: string } & (
  | { readonly kind: 'tool'; readonly isTool: (name: string) => boolean; readonly allows: (name: string) => boolean }
  | { readonly kind: 'command'; readonly pattern: CommandPattern }
  | { readonly kind: 'path'; readonly tools: ReadonlySet<string>; readonly pattern: PathPattern }
  | { readonly kind: 'domain'; readonly domain: string }
  | { readonly kind: 'name'; readonly tools: ReadonlySet<string>; readonly isName: (name: string) => boolean }
)

export const allowedForms =
  'Tool, Bash(git status), Bash(git status *), Read(src/**), Edit(/docs/*.md), Edit(~/notes/**), Read(//etc/hosts), ' +
  'WebFetch(domain:example.com), mcp__server, mcp__server__tool, Agent(name) or Skill(name)'

export const editingTools: readonly string[] = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit']
export const readingTools: readonly string[] = ['Read', 'NotebookRead', 'Grep', 'Glob', 'LS']
/** Two names of one tool, the new one and the old one. */
export const agentTools: readonly string[] = ['Agent', 'Task']

/** In an allow rule, Claude Code understands a path only after one of these names. */
const allowPathTools: readonly string[] = ['Edit', 'Read']

/**
 * Which tools a rule with a path covers, by its name. As in Claude Code, `Edit` and `Read` cover all tools of their
 * kind.
 */
const pathTools = new Map<string, ReadonlySet<string>>(
  [...editingTools, ...readingTools].map((name) => [name, new Set([name])]),
)
pathTools.set('Edit', new Set(editingTools)).set('Read', new Set(readingTools))

const parsed = new Map<string, Rule>()
const maxParsed = 10_000

/** Throws `RuleMistake` for a text that is not a rule. Caches the result. */
export function parseRule(text: string): Rule {
  const known = parsed.get(text)
  if (known) return known
  if (parsed.size >= maxParsed) parsed.clear()
  const rule = parse(text)
  parsed.set(text, rule)
  return rule
}

/** Parses an allow rule. Also throws `RuleMistake` for a rule whose path Claude Code would ignore. */
export function parseAllowRule(text: string): Rule {
  const rule = parseRule(text)
  const tool = text.slice(0, Math.max(0, text.indexOf('(')))
  if (rule.kind !== 'path' || allowPathTools.includes(tool)) return rule
  const instead = editingTools.includes(tool) ? 'Edit' : 'Read'
  throw new RuleMistake(`allows nothing: Claude Code reads paths in rules for ${instead}, which cover ${tool} too`)
}

export function isRule(text: string): boolean {
  try {
    parseRule(text)
    return true
  } catch {
    return false
  }
}

function parse(text: string): Rule {
  if (/[^\P{C}\n\t]/u.test(text)) throw new RuleMistake('contains an invisible character')
  const { tool, content } = splitRule(text)
  if (tool.startsWith('mcp__')) return mcpRule(text, tool, content)
  if (!/^[A-Z][A-Za-z]*$/.test(tool)) throw new RuleMistake('does not begin with the name of a tool, such as Bash')
  if (content === undefined || content === '*') return toolRule(text, tool)
  if (tool === 'Bash') return { text, kind: 'command', pattern: commandPattern(content) }
  const tools = pathTools.get(tool)
  if (tools) return { text, kind: 'path', tools, pattern: pathPattern(content) }
  if (tool === 'WebFetch') return { text, kind: 'domain', domain: domainOf(content) }
  const nameTools = agentTools.includes(tool) ? agentTools : tool === 'Skill' ? ['Skill'] : undefined
  if (!nameTools) throw new RuleMistake(`has parentheses, which a rule for ${tool} cannot have`)
  // Names of agents and skills are matched like commands, with `*` for any text.
  const { matches } = commandPattern(content)
  return { text, kind: 'name', tools: new Set(nameTools), isName: matches }
}

function splitRule(text: string): { tool: string; content: string | undefined } {
  const open = text.indexOf('(')
  if (open < 0) return { tool: text, content: undefined }
  if (!text.endsWith(')')) throw new RuleMistake('does not end with the parenthesis that it opens')
  // The CLI escapes parentheses and backslashes in its own rules: \(, \) and \\.
  const content = text.slice(open + 1, -1).replace(/\\([()\\])/g, '$1')
  if (content.trim() === '') throw new RuleMistake('has nothing in its parentheses')
  return { tool: text.slice(0, open), content }
}

function toolRule(text: string, tool: string): Rule {
  const names = agentTools.includes(tool) ? agentTools : [tool]
  const denied = [...names, ...(pathTools.get(tool) ?? [])]
  return { text, kind: 'tool', isTool: (name) => denied.includes(name), allows: (name) => names.includes(name) }
}

function mcpRule(text: string, tool: string, content: string | undefined): Rule {
  if (content !== undefined) throw new RuleMistake('has parentheses, which a rule for an MCP tool cannot have')
  if (!/^mcp__[\w*.-]+$/.test(tool)) throw new RuleMistake('is not of the form mcp__server__tool')
  const isTool = wildcard(tool)
  // A server's name covers all its tools.
  const serverPrefix = tool.slice('mcp__'.length).includes('__') ? undefined : `${tool}__`
  const covers = (name: string) => isTool(name) || (!!serverPrefix && name.startsWith(serverPrefix))
  return { text, kind: 'tool', isTool: covers, allows: covers }
}

function domainOf(content: string): string {
  const domain = /^domain:((?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)$/i.exec(content)?.[1]
  if (domain === undefined) throw new RuleMistake('is not of the form WebFetch(domain:example.com)')
  return domain.toLowerCase()
}
