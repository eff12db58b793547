import type { Command } from 'commander'
import { external } from '../../../base/protocol/pair.ts'
import type { CommandContext } from '../context.ts'
import { createProgram } from '../table/program.ts'
import { commandTable } from '../table/table.ts'

/**
 * The candidates for the last word. `words` are the words after `iris`; the last one is incomplete or empty.
 */
export async function candidates(words: readonly string[], context: CommandContext): Promise<readonly string[]> {
  const begun = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const possible = before.length === 0 ? firstWords() : await laterWords(before, begun, context)
  return [...new Set(possible)].filter((word) => word.startsWith(begun)).toSorted((a, b) => (a < b ? -1 : 1))
}

function firstWords(): readonly string[] {
  return [...commandTable.map(({ name }) => name.split(' ')[0]!), 'help', '--help', '--version']
}

async function laterWords(
  before: readonly string[],
  begun: string,
  context: CommandContext,
): Promise<readonly string[]> {
  const [first = '', second = ''] = before
  if (first === 'help') return firstWords()
  const program = await createProgram(before, { context, daemon: notHere, exitWith: () => {} })
  const family = program.commands.find((each) => each.name() === first)
  const command = family?.commands.find((each) => each.name() === second) ?? family
  if (command === undefined) return []
  const option = command.options.find((each) => each.long === before.at(-1) && !each.isBoolean())
  if (option) return option.argChoices ?? (await namesFor(option.attributeName(), context))
  if (begun.startsWith('-')) return [...command.options.map(({ long }) => long ?? ''), '--help']
  const words = argumentsOf(command, before.slice(command === family ? 1 : 2))
  const nested = command === family ? family.commands.map((each) => each.name()) : []
  const argument = command.registeredArguments[words.length]
  return [...nested, ...(argument?.argChoices ?? (argument ? await namesFor(argument.name(), context) : []))]
}

/** Leaves out options and their values. */
function argumentsOf(command: Command, words: readonly string[]): readonly string[] {
  const takesValue = (word: string | undefined): boolean =>
    command.options.some(({ long, required }) => long === word && required)
  return words.filter((word, index) => !word.startsWith('-') && !takesValue(words[index - 1]))
}

/** Names for an option or an argument of this name. */
async function namesFor(word: string, context: CommandContext): Promise<readonly string[]> {
  const kind = word.replace(/Team$/, '')
  if (!['team', 'from', 'to', 'thread', 'turn', 'tree'].includes(kind)) return []
  const { teams, threads, turns } = (await import('./known-names.ts')).knownNames(context.env)
  if (kind === 'thread') return threads
  if (kind === 'turn' || kind === 'tree') return turns
  return kind === 'from' ? [...teams, external] : teams
}

/** Completion runs no command. */
const refuse = () => Promise.reject(new Error('not here'))
const notHere = {
  startDaemon: refuse,
  doctor: { diagnose: refuse, fix: refuse, problemsOf: refuse, probeInstalled: refuse },
  offline: { logs: refuse, audit: refuse, verifyAudit: refuse },
  home: { left: refuse, adopt: refuse, backup: refuse, restore: refuse },
  inspectChannel: refuse,
}
