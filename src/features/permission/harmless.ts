import { readingTools } from '../../base/rule/rule.ts'
import { simpleCommands } from '../../base/rule/simple-commands.ts'
import { below, inputText, type Place, pathOf, realPathIn, type ToolUse } from '../../base/rule/tool-use.ts'
import { isIrisTool } from './iris-tool.ts'

/** Tools that affect only the conversation, or start work whose tools need their own permissions. */
const toolsWithoutEffect = new Set([
  'TodoWrite',
  'TodoRead',
  'TaskCreate',
  'TaskUpdate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'Task',
  'Agent',
  'ToolSearch',
  'Skill',
  'EnterPlanMode',
  'ExitPlanMode',
  'BashOutput',
  'KillShell',
  'KillBash',
])

/**
 * Whether a tool needs no permission: it reads within the project, reads a file that came with a message, plans, or is
 * Iris's own tool. Used only with `grantPermission: no`: Iris must decide before a person's own settings could allow a
 * use. Everything else that no rule covers is refused.
 */
export function isHarmless(use: ToolUse, place: Place): boolean {
  const { toolName } = use
  if (toolsWithoutEffect.has(toolName) || isIrisTool(toolName)) return true
  if (toolName === 'Bash') return onlyReads(inputText(use, 'command') ?? '', place)
  if (!readingTools.includes(toolName)) return false
  const pattern = inputText(use, toolName === 'Glob' ? 'pattern' : 'glob') ?? ''
  const path = pathOf(use, place)
  return path !== undefined && (isInside(path, place) || isAttached(path, place)) && isRelative(pattern)
}

const gitOption =
  /^(?:--oneline|--stat|--short|--porcelain|--cached|--staged|--name-only|--name-status|--graph|--all|--show-current|--|-s|-sb|-p|-n|-n?\d+)$/
const number = '[0-9]+'
/** Matches nothing. */
const noOption = /^(?!)/

/**
 * Commands that end by themselves and only read, each with its harmless options. A harmless option does not write, start
 * a program, wait for more, name a file or follow links out of the project. With any other option a command is not
 * harmless.
 */
const readingCommands: readonly (readonly [command: string, options: RegExp])[] = [
  ['pwd', /^-[LP]$/],
  ['echo', /^-[neE]+$/],
  ['true', noOption],
  ['cat', /^-[AbeEnstTv]+$/],
  ['head', new RegExp(`^-(?:[nc]${number}|[ncqvz]+|${number})$`)],
  ['tail', new RegExp(`^-(?:[nc]${number}|[ncqvz]+|${number})$`)],
  ['wc', /^-[clmwL]+$/],
  ['ls', /^-[1aAbBcCdfFghiklmnNopqQrRsStuUvwxX]+$/],
  ['grep', new RegExp(`^-(?:[cEFGhHilLnoPqrsvwxyze]+|[ABCm]${number}?|-(?:include|exclude|color)=[\\w.*-]+)$`)],
  ['find', /^-(?:name|iname|path|type|maxdepth|mindepth|size|mtime|newer|empty|not|o|or|a|and|print|print0|prune)$/],
  ...['status', 'log', 'diff', 'show', 'branch --show-current', 'rev-parse', 'ls-files'].map(
    (verb) => [`git ${verb}`, gitOption] as const,
  ),
]

function onlyReads(command: string, place: Place): boolean {
  const commands = simpleCommands(command)
  return commands?.every((one) => isReadingCommand(one, place)) ?? false
}

function isReadingCommand(command: string, place: Place): boolean {
  const known = readingCommands.find(([name]) => command === name || command.startsWith(`${name} `))
  if (!known) return false
  const [name, options] = known
  const words = command.slice(name.length).split(' ').filter(Boolean)
  return words.every((word) => (word.startsWith('-') ? options.test(word) : leadsInside(word, place)))
}

/**
 * Whether a word is a path inside the project. False for a word with quotes in its middle, and for one that a shell or
 * the command could interpret.
 */
function leadsInside(word: string, place: Place): boolean {
  if (!/^(?:'[^']*'|"[^"\\]*"|(?![+=])[\w.,:@%+=/^~-]+)$/.test(word)) return false
  const path = word.replace(/^(['"])(.*)\1$/s, '$2')
  return !path.startsWith('-') && isRelative(path) && isInside(`${place.project}/${path}`, place)
}

function isRelative(path: string): boolean {
  return !/^[~/]/.test(path) && !path.split('/').includes('..')
}

function isAttached(path: string, place: Place): boolean {
  const real = realPathIn(place, path)
  return place.attachments !== undefined && real !== undefined && below(place.attachments, real) !== undefined
}

function isInside(path: string, place: Place): boolean {
  const real = realPathIn(place, path)
  return real !== undefined && below(place.project, real) !== undefined
}
