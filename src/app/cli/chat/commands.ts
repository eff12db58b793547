import type { CommandContext } from '../context.ts'

/** The pair and thread of a chat. Iris chooses what is undefined. */
export interface Conversation {
  readonly toTeam: string
  readonly thread: string | undefined
  readonly fromTeam: string | undefined
}

const words = {
  '/to': '/to <team>        talk with another team',
  '/thread': '/thread <name>    talk in a parallel conversation; without a name, in the first one',
  '/help': '/help             show this',
  '/exit': '/exit             end the chat, as Ctrl-D does',
} as const

/** The conversation that a command such as `/to <team>` leads to, or `end`; undefined if the line is a message. */
export function commandIn(context: CommandContext, line: string, talk: Conversation): Conversation | 'end' | undefined {
  const [, word, name] = /^(\/\S+)(?:\s+(\S+))?\s*$/.exec(line) ?? []
  if (word === undefined) return undefined
  if (word === '/exit') return 'end'
  if (word === '/to' && name !== undefined) return { ...talk, toTeam: name }
  if (word === '/thread') return { ...talk, thread: name }
  for (const help of Object.values(words)) context.say(`  ${help}`)
  context.say('  End a line with \\ to continue it on the next one. Put a space before a message that begins with /.')
  return talk
}

/** Completions in readline's format: the candidates, and the end of the line that they replace. */
export function completions(line: string, teams: readonly string[]): [string[], string] {
  const [, typed] = /^\/to\s+(\S*)$/.exec(line) ?? []
  if (typed !== undefined) return [teams.filter((team) => team.startsWith(typed)), typed]
  return [line.startsWith('/') ? Object.keys(words).filter((word) => word.startsWith(line)) : [], line]
}
