import { isSince, promptSnapshotSince, restrictedSince } from './claude-version.ts'

/** What a process is started with besides its environment. Pure: the same facts give the same words. */
export interface CommandLineFacts {
  readonly sessionId: string
  /** The conversation is on disk already. */
  readonly resume: boolean
  readonly model: string | undefined
  /** Of `.claude/agents/`, the user's or built in. The CLI ignores a name it does not know. */
  readonly agent: string | undefined
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  readonly appendSystemPrompt: string
  /** Whether the project's own MCP servers are loaded beside Iris's. */
  readonly projectMcpServers: boolean
  /** A file that names `sessionServer`, through which the process then asks for permissions. */
  readonly sessionMcp: string | undefined
  /** It asks over its pipe all the same. */
  readonly asksOverPipe?: boolean
  /** With whose rights it answers, where those are not the team's. */
  readonly role?: CommandLineRole | undefined
}

export interface CommandLineRole {
  /** Of a narrowed role: all tools that there are. Undefined: those of the team. */
  readonly onlyTools: readonly string[] | undefined
  /** Of the CLI, when it is known. */
  readonly version: string | undefined
}

/**
 * The MCP server of `/mcp/:sessionId`, the same in every session. Not `iris`: 2.1.197 drops one that is named as that of
 * the pipe. Its tools are kept from the model, which has them over the pipe.
 */
export const sessionServer = 'iris-session'

/** Iris's own tools are never asked about: who calls them is known by the pipe. */
export const irisTools = 'mcp__iris'

/** The CLI's own timers and inbox would start turns that nobody asked for; a question box has no one before it. */
export const closedTools = ['SendMessage', 'ListAgents', 'ScheduleWakeup', 'CronCreate', 'AskUserQuestion']

/** Asked whether a tool may run, where there is a `sessionServer`. */
export const promptTool = `mcp__${sessionServer}__permissions__approve`

/** Without the first the CLI deletes transcripts after 30 days; the second keeps other sessions' messages out. */
const settings = JSON.stringify({ cleanupPeriodDays: 36_500, crossSessionInbound: 'refuse' })

export function commandLine(facts: CommandLineFacts): string[] {
  const { sessionMcp } = facts
  const hidden = sessionMcp === undefined ? [] : [`mcp__${sessionServer}`]
  return [
    '--print',
    '--verbose',
    ...['--input-format', 'stream-json'],
    ...['--output-format', 'stream-json'],
    '--replay-user-messages',
    '--include-partial-messages',
    ...['--permission-prompt-tool', sessionMcp === undefined || facts.asksOverPipe ? 'stdio' : promptTool],
    ...(sessionMcp === undefined ? [] : ['--mcp-config', sessionMcp]),
    // A person's own default, such as acceptEdits, would let tools pass that are to be asked about.
    ...['--permission-mode', 'default'],
    ...(facts.projectMcpServers ? [] : ['--strict-mcp-config']),
    ...['--allowedTools', [irisTools, ...facts.allowedTools].join(',')],
    ...['--disallowedTools', [...closedTools, ...hidden, ...facts.disallowedTools].join(',')],
    ...['--settings', settings],
    ...['--append-system-prompt', facts.appendSystemPrompt],
    ...(facts.role === undefined ? [] : roleFlags(facts.role)),
    ...(facts.model === undefined ? [] : ['--model', facts.model]),
    ...(facts.agent === undefined ? [] : ['--agent', facts.agent]),
    ...(facts.resume ? ['--resume', facts.sessionId] : ['--session-id', facts.sessionId]),
  ]
}

/** They neither run code nor write: with others `--restricted` would take away what the role has. */
const readingOnly = new Set(['Read', 'Grep', 'Glob', 'TodoWrite'])

function roleFlags({ onlyTools, version }: CommandLineRole): string[] {
  return [
    // Else a resumed conversation keeps the instructions that it was created with.
    ...(isSince(version, promptSnapshotSince) ? ['--system-prompt-snapshot', 'off'] : []),
    ...(onlyTools === undefined ? [] : closedTo(onlyTools, version)),
  ]
}

/**
 * Closes a process to a narrowed role. Fewer of these leave hooks, servers, skills, commands or agents of the project's or
 * the user's settings, which run without any hook of Iris (measured on both builds). They drop CLAUDE.md too.
 */
function closedTo(tools: readonly string[], version: string | undefined): string[] {
  const isRestricted = isSince(version, restrictedSince) && tools.every((tool) => readingOnly.has(tool))
  return [
    ...['--tools', tools.join(',')],
    ...['--setting-sources', ''],
    '--disable-slash-commands',
    ...(isRestricted ? ['--restricted'] : []),
  ]
}

/** The same for people to read: of the system prompt only its length, it may say what is nobody else's business. */
export function withoutSystemPrompt(args: readonly string[]): readonly string[] {
  const prompt = args.indexOf('--append-system-prompt') + 1
  return args.map((word, index) => (prompt > 0 && index === prompt ? `[${word.length} characters]` : word))
}

export interface TerminalFacts {
  readonly directory: string
  readonly executable: string
  readonly configDirectory: string | undefined
  /** When it is not that of whoever types it. */
  readonly home: string | undefined
  readonly sessionId: string
  /** What leads to the machine where it is, word by word; the next word is a command for a shell there. */
  readonly through?: readonly string[] | undefined
}

/** How a person goes on with a conversation: the CLI knows it only in its own directory. For a POSIX shell. Pure. */
export function terminalCommand(facts: TerminalFacts): string {
  const { through } = facts
  return through === undefined ? commandThere(facts) : [...through, asLogin(facts)].map(quoted).join(' ')
}

/** Where `claude` is, a login knows; or it is in one of its usual places, where Iris finds it too. */
function asLogin(facts: TerminalFacts): string {
  return `exec "$SHELL" -l -c ${quoted(`exec env PATH="$PATH:$HOME/.local/bin:$HOME/.claude/local:/usr/local/bin:/opt/homebrew/bin" sh -c ${quoted(commandThere(facts))}`)}`
}

function commandThere({ directory, executable, configDirectory, home, sessionId }: TerminalFacts): string {
  return [
    `cd ${quoted(directory)} &&`,
    ...(home === undefined ? [] : [`HOME=${quoted(home)}`]),
    ...(configDirectory === undefined ? [] : [`CLAUDE_CONFIG_DIR=${quoted(configDirectory)}`]),
    quoted(executable),
    '--resume',
    sessionId,
  ].join(' ')
}

/** The same for who starts it without a shell: where, the words, and what is in its environment besides the person's own. */
export function terminalStart(facts: TerminalFacts) {
  const { directory, executable, configDirectory, home, sessionId, through } = facts
  if (through !== undefined) return { directory: '/', command: [...through, asLogin(facts)], env: {} }
  const env = {
    ...(home !== undefined && { HOME: home }),
    ...(configDirectory !== undefined && { CLAUDE_CONFIG_DIR: configDirectory }),
  }
  return { directory, command: [executable, '--resume', sessionId], env }
}

function quoted(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
