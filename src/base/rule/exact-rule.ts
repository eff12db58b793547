import { isExact } from './command-pattern.ts'
import { hostOf, nameOf } from './covers.ts'
import { agentTools, editingTools, isRule, readingTools } from './rule.ts'
import { trimmed } from './simple-commands.ts'
import { below, inputText, type Place, pathOf, realPathIn, type ToolUse } from './tool-use.ts'

/**
 * The narrowest rule that covers this tool use: the one command, file, host, agent or skill. Null if Claude Code's
 * syntax has none, as for a command with a star, which would match any text.
 */
export function exactRule(use: ToolUse, place: Place): string | null {
  const { toolName } = use
  const content = contentOf(use, place)
  const text = content === undefined ? toolName : content === null ? null : `${ruleTool(toolName)}(${escaped(content)})`
  return text !== null && isRule(text) ? text : null
}

/** Claude Code accepts paths only in rules for `Edit` and `Read`. */
function ruleTool(toolName: string): string {
  return editingTools.includes(toolName) ? 'Edit' : readingTools.includes(toolName) ? 'Read' : toolName
}

/** The text in the parentheses; undefined if the rule has no parentheses; null if there is no such rule. */
function contentOf(use: ToolUse, place: Place): string | null | undefined {
  const { toolName } = use
  if (toolName === 'Bash') return commandContent(trimmed(inputText(use, 'command') ?? ''))
  if (editingTools.includes(toolName) || readingTools.includes(toolName)) return pathContent(use, place)
  if (toolName === 'WebFetch') {
    const host = hostOf(use)
    return host === undefined ? null : `domain:${host}`
  }
  if (agentTools.includes(toolName) || toolName === 'Skill') {
    const name = nameOf(use)
    return name !== '' && isExact(name) ? name : null
  }
  return undefined
}

function commandContent(command: string): string | null {
  return command !== '' && isExact(command) ? command : null
}

function pathContent(use: ToolUse, place: Place): string | null {
  const given = pathOf(use, place)
  const real = given === undefined ? undefined : realPathIn(place, given)
  if (real === undefined) return null
  const inside = below(place.project, real)
  if (inside === '') return '**'
  const literal = (path: string) => path.replace(/[\\*?[]/g, '\\$&')
  return inside === undefined ? `/${literal(real)}` : `/${literal(inside)}`
}

/** Escapes as the CLI does in its own rules. */
function escaped(content: string): string {
  return content.replace(/[\\()]/g, '\\$&')
}
