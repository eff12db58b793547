import type { IrisError } from '../../../base/protocol/error.ts'
import { channels } from './channels.ts'
import { configuration } from './configuration.ts'
import { conversations } from './conversations.ts'
import { daemon } from './daemon.ts'
import { history } from './history.ts'
import { messages } from './messages.ts'
import { permissions } from './permissions.ts'
import type { CommandSpec } from './spec.ts'
import { teams } from './teams.ts'

/** Every command of `iris`: what is typed, its help, its completion and the page in docs/guide are made from it. */
export const commandTable: readonly CommandSpec[] = [
  ...messages,
  ...conversations,
  ...teams,
  ...permissions,
  ...history,
  ...configuration,
  ...channels,
  ...daemon,
]

/** What commands of two words have in common. */
export const families: Readonly<Record<string, string>> = {
  teams: 'The teams that can be asked',
  channels: 'Where people in chats talk to teams',
  cache: 'What is known of a conversation',
  config: 'The configuration, $IRIS_HOME/config.yaml',
  service: 'Iris as a service that starts with your session',
}

/** What is typed for an operation of that name. */
function commandOf(operation: string): string | undefined {
  return commandTable.find((spec) => spec.operation === operation)?.name
}

/** What a family of commands does when only its name is typed. */
export const usualOf: Readonly<Record<string, string>> = { teams: 'list', config: 'show' }

/** What callers of operations say otherwise than people at a terminal. */
const otherWords: readonly (readonly [called: RegExp, typed: string])[] = [
  [/^[a-z]+_[a-z_]+: /, ''],
  [/the tool description tells/g, '--help tells'],
  [/\bforce: true\b/g, '--force'],
  [/\bset evenInDoubt: true\b/g, 'add --even-in-doubt'],
  [/\bstatus: all\b/g, '--status all'],
  [/\(team\)/g, '(--team)'],
]

/** Text that was written for every adapter, as people at a terminal say it: `iris sessions` for `list_sessions`. */
export function asTyped(text: string): string {
  const command = (word: string): string => (commandOf(word) === undefined ? word : `"iris ${commandOf(word)}"`)
  const spoken = otherWords.reduce((said, [called, typed]) => said.replace(called, typed), text)
  return spoken.replaceAll(/\b[a-z]+_[a-z_]+\b/g, command)
}

/** What was refused, and what to do, as people at a terminal are told it. */
export function refusalText({ message, remedy }: IrisError): string {
  return `error: ${asTyped(message)}\n${asTyped(remedy)}`
}
