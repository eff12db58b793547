import type { IrisError } from '../../../base/protocol/error.ts'
import { callbacks } from './callbacks.ts'
import { channels } from './channels.ts'
import { cluster } from './cluster.ts'
import { configuration } from './configuration.ts'
import { conversations } from './conversations.ts'
import { daemon } from './daemon.ts'
import { history } from './history.ts'
import { messages } from './messages.ts'
import { permissions } from './permissions.ts'
import type { CommandSpec } from './spec.ts'
import { teams } from './teams.ts'
import { triggers } from './triggers.ts'

/** Every command of `iris`. Its parser, help and completion follow from it; docs/guide/command.md must name each. */
export const commandTable: readonly CommandSpec[] = [
  ...messages,
  ...conversations,
  ...teams,
  ...cluster,
  ...permissions,
  ...history,
  ...configuration,
  ...channels,
  ...callbacks,
  ...triggers,
  ...daemon,
]

/** The first words that `iris --help` shows: the everyday commands. `iris help --all` shows every command. */
export const daily: readonly (readonly [group: string, words: readonly string[]])[] = [
  ['Ask', ['tell', 'result', 'why']],
  ['See', ['status', 'sessions', 'dashboard']],
  ['Decide', ['permissions']],
  ['Projects', ['teams', 'add-team']],
  ['Set up', ['install', 'config', 'doctor']],
]

/** Names that commands had before. They continue working; help, completion and the guide leave them out. */
export const formerNames: Readonly<Record<string, string>> = {
  ask: 'tell',
  report: 'sessions show',
  stats: 'insight stats',
  usage: 'insight usage',
  patterns: 'insight patterns',
  drift: 'insight drift',
  healings: 'insight healings',
  reflect: 'insight reflect',
  'reflect apply': 'insight apply',
  'reflect refuse': 'insight refuse',
  logins: 'login list',
  'logins list': 'login list',
  'logins revoke': 'login revoke',
}

/** The descriptions of families, the commands of two words. */
export const families: Readonly<Record<string, string>> = {
  insight: 'Report usage, cost, recurring patterns, and what you could change',
  teams: 'List the teams that can be asked',
  channels: 'Let people talk to teams in Telegram, Discord and Slack',
  callbacks: 'Notify programs of what became of their messages',
  trigger: 'Let outside programs start an agent',
  cluster: 'Connect hosts that each run Iris',
  cache: 'Inspect a conversation',
  config: 'Show, edit or check $IRIS_HOME/config.yaml',
  service: 'Start Iris with your session, as a service',
}

/** The command for an operation, if there is one. Models see two tools for one command: `ask_message` and `send_message`. */
function commandOf(operation: string): string | undefined {
  const called = operation === 'ask_message' ? 'send_message' : operation
  return commandTable.find((spec) => spec.operation === called)?.name
}

/** The second word that a family gets when only its name is typed. */
export const usualOf: Readonly<Record<string, string>> = {
  teams: 'list',
  config: 'show',
  callbacks: 'list',
  trigger: 'list',
  insight: 'stats',
  cluster: 'status',
}

/** Wording for callers of operations, and its replacement for people at a terminal. */
const otherWords: readonly (readonly [called: RegExp, typed: string])[] = [
  [/^[a-z]+_[a-z_]+: /, ''],
  [/the tool description says/g, '--help says'],
  [/\bforce: true\b/g, '--force'],
  [/\bset evenInDoubt: true\b/g, 'add --even-in-doubt'],
  [/\bstatus: all\b/g, '--status all'],
  [/\(team\)/g, '(--team)'],
  [/^Its first characters are enough/, 'Id of the message, or its first characters'],
  [/^before of the previous page/, 'The value of "before" from the previous page'],
  [/^The team that answers you$/, 'The team that answers'],
]

/** Rewrites text that was written for every adapter for people at a terminal: `iris sessions` for `list_sessions`. */
export function asTyped(text: string): string {
  const command = (word: string): string => (commandOf(word) === undefined ? word : `"iris ${commandOf(word)}"`)
  const spoken = otherWords.reduce((said, [called, typed]) => said.replace(called, typed), text)
  return spoken.replaceAll(/\b[a-z]+_[a-z_]+\b/g, command)
}

/** Formats an error and its remedy for people at a terminal. */
export function refusalText({ message, remedy }: IrisError): string {
  return `error: ${asTyped(message)}\n${asTyped(remedy)}`
}
