/** Names from the first designs, each with its replacement. Calls with them fail with a hint. */
const formerNames: Readonly<Record<string, string>> = {
  teams_ask: 'ask_message',
  teams_send_message: 'send_message',
  teams_notify: 'notify',
  team_cache_read: 'message_status',
  team_cache_clear: 'session_delete',
}

/** Arguments of the first designs. */
const formerArguments: Readonly<Record<string, string>> = {
  question: 'message',
  team: 'toTeam',
  waitForResponse: 'timeout (-1 does not wait)',
}

const formerOptions: Readonly<Record<string, string>> = {
  '--http': 'It is always on: Iris serves HTTP on this machine beside the bridge. Leave --http out.',
}

/** The replacement of a former tool. */
export function replacedTool(name: string): string | undefined {
  return Object.hasOwn(formerNames, name) ? formerNames[name] : undefined
}

/** The argument that replaced this one, if the operation has it; `known` are the operation's arguments. */
export function replacedArgument(name: string, known: readonly string[]): string | undefined {
  const now = Object.hasOwn(formerArguments, name) ? formerArguments[name] : undefined
  return now !== undefined && known.includes(now.split(' ')[0]!) ? now : undefined
}

/** The note about a former command-line option. */
export function replacedOption(name: string): string | undefined {
  return Object.hasOwn(formerOptions, name) ? formerOptions[name] : undefined
}
