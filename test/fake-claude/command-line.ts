/** What the fake understands of the real command line; every other flag is accepted and ignored. */
export interface CommandLine {
  readonly version: boolean
  readonly sessionId: string | undefined
  readonly resume: string | undefined
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  readonly model: string | undefined
  readonly agent: string | undefined
  readonly permissionMode: string
  readonly asksHost: boolean
  readonly replaysMessages: boolean
  readonly streamsPartials: boolean
  /** The file of `--mcp-config`. */
  readonly mcpConfig: string | undefined
  /** What is in it, for whoever has read it. */
  readonly mcpServers: Readonly<Record<string, unknown>>
}

/** Flags with one value, which may look like a flag itself. */
const singleValued = new Set([
  '--append-system-prompt',
  '--system-prompt',
  '--settings',
  '--session-id',
  '--resume',
  '--model',
  '--agent',
  '--permission-mode',
  '--permission-prompt-tool',
  '--input-format',
  '--output-format',
])

export function parseCommandLine(argv: readonly string[]): CommandLine {
  const flags = collect(argv)
  const one = (flag: string): string | undefined => flags.get(flag)?.[0]
  const list = (flag: string): string[] => (flags.get(flag) ?? []).flatMap(splitNames)
  return {
    version: flags.has('--version') || flags.has('-v'),
    sessionId: one('--session-id'),
    resume: one('--resume') ?? one('-r'),
    allowedTools: list('--allowedTools'),
    disallowedTools: list('--disallowedTools'),
    model: one('--model'),
    agent: one('--agent'),
    permissionMode: flags.has('--dangerously-skip-permissions')
      ? 'bypassPermissions'
      : (one('--permission-mode') ?? 'default'),
    asksHost: one('--permission-prompt-tool') === 'stdio',
    replaysMessages: flags.has('--replay-user-messages'),
    streamsPartials: flags.has('--include-partial-messages'),
    mcpConfig: one('--mcp-config'),
    mcpServers: {},
  }
}

/** `mcp__iris` allows every tool of that server. */
export function namesTool(names: readonly string[], tool: string): boolean {
  return names.some((name) => name === tool || (name.startsWith('mcp__') && tool.startsWith(`${name}__`)))
}

function collect(argv: readonly string[]): Map<string, string[]> {
  const flags = new Map<string, string[]>()
  let values: string[] = []
  let takesNext = false
  for (const argument of argv) {
    if (argument.startsWith('-') && !takesNext) {
      const [flag, value] = argument.startsWith('--') ? split(argument) : [argument, undefined]
      values = value === undefined ? [] : [value]
      flags.set(flag, values)
      takesNext = value === undefined && singleValued.has(flag)
    } else {
      values.push(argument)
      takesNext = false
    }
  }
  return flags
}

function split(argument: string): [string, string | undefined] {
  const equals = argument.indexOf('=')
  return equals === -1 ? [argument, undefined] : [argument.slice(0, equals), argument.slice(equals + 1)]
}

/** Names stand apart by commas or spaces, except inside brackets: `Bash(git log) Edit`. */
function splitNames(value: string): string[] {
  return value.split(/[ ,]+(?![^(]*\))/).filter((name) => name !== '')
}
