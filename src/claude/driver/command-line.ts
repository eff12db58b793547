import { isRecord } from '../../base/lib/is-record.ts'
import { isSince, longerStateSince, promptSnapshotSince, restrictedSince } from './claude-version.ts'
import { underRules } from './environment.ts'
import { permissionMode } from './session-defaults.ts'

/** The facts that decide the arguments of a process. */
export interface CommandLineFacts {
  readonly sessionId: string
  /** Whether the conversation is already on disk. */
  readonly resume: boolean
  readonly model: string | undefined
  /**
   * The name of an agent, which may be from `.claude/agents/`, the user's own, or built in. The CLI ignores an unknown
   * name.
   */
  readonly agent: string | undefined
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  readonly appendSystemPrompt: string
  /** Whether the project's own MCP servers are loaded in addition to Iris's. */
  readonly projectMcpServers: boolean
  /** Path of a session MCP configuration with `sessionServer`, through which the process then asks for permissions. */
  readonly sessionMcp: string | undefined
  /** Whether the process asks for permissions over its pipe, even with `sessionMcp`. */
  readonly asksOverPipe?: boolean
  /** The role whose rights apply; undefined if the team's own rights apply. */
  readonly role?: CommandLineRole | undefined
  /** Further settings for the process, which take precedence over settings files. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Whether commands in the text of skills may run. Default true. */
  readonly skillCommands?: boolean
  /** Version of the CLI; undefined if unknown. */
  readonly version: string | undefined
}

export interface CommandLineRole {
  /** The only tools of a narrowed role; undefined if the process has the team's tools. */
  readonly onlyTools: readonly string[] | undefined
}

/**
 * The name of the MCP server of `/mcp/:sessionId`, the same in every session. It is not `iris`, because 2.1.197 drops a
 * server that has the name of the pipe's server. This server's tools are hidden from the model, which has the same
 * tools over the pipe.
 */
export const sessionServer = 'iris-session'

/** The CLI never asks about Iris's own tools: the pipe identifies their caller. */
export const irisTools = 'mcp__iris'

/**
 * Tools that agents do not have. A change of this list costs every conversation its prompt cache, so several changes go
 * into one release.
 */
const closedTools = [
  // They start turns that nobody asked for.
  'SendMessage',
  'ListAgents',
  'ScheduleWakeup',
  'CronCreate',
  // They change the conversation for later messages, which may come from another asker.
  'EnterPlanMode',
  'ExitPlanMode',
  'EnterWorktree',
  'ExitWorktree',
  // They show something at the terminal, where there is nobody; the asker gets only the answer.
  'AskUserQuestion',
  'ReportFindings',
  'SendUserMessage',
  'SendUserFile',
  'PushNotification',
  'ShareOnboardingGuide',
  'ShowOnboardingRolePicker',
]

/** More tools, which newer builds have for some accounts. Older builds warn about names they do not know. */
const newerClosedTools = [
  'EndConversation',
  'SetGoal',
  'PauseGoal',
  'WrapUp',
  'SendFile',
  'SendToProject',
  'SendFeedback',
  'PublishPlugin',
  'propose_skills',
  'SuggestSkills',
  'SuggestPluginInstall',
  'SuggestConnectors',
  'OfferChromeSetup',
]

export function closedToolsOf(version: string | undefined): readonly string[] {
  return isSince(version, longerStateSince) ? [...closedTools, ...newerClosedTools] : closedTools
}

/** The tool that the CLI calls to ask for a permission, if there is a `sessionServer`. */
export const promptTool = `mcp__${sessionServer}__permissions__approve`

/**
 * By default the CLI deletes transcripts after 30 days. `crossSessionInbound` keeps out messages from other sessions.
 * `disabledMcpjsonServers` keeps out a project's own server called `iris`, because the CLI would never ask about its
 * tools.
 */
const usualSettings = {
  cleanupPeriodDays: 36_500,
  crossSessionInbound: 'refuse',
  disabledMcpjsonServers: ['iris'],
}

export function commandLine(facts: CommandLineFacts): string[] {
  const { sessionMcp, version } = facts
  const hidden = sessionMcp === undefined ? [] : [`mcp__${sessionServer}`]
  return [
    '--print',
    '--verbose',
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--replay-user-messages',
    '--include-partial-messages',
    // Without these events, nothing says which hook stopped a turn and why.
    '--include-hook-events',
    '--permission-prompt-tool',
    sessionMcp === undefined || facts.asksOverPipe ? 'stdio' : promptTool,
    ...(sessionMcp === undefined ? [] : ['--mcp-config', sessionMcp]),
    // A user's own default, such as acceptEdits, would let tools run without a question.
    '--permission-mode',
    permissionMode,
    ...(facts.projectMcpServers ? [] : ['--strict-mcp-config']),
    '--allowedTools',
    [irisTools, ...facts.allowedTools].join(','),
    '--disallowedTools',
    [...closedToolsOf(version), ...hidden, ...facts.disallowedTools].join(','),
    '--settings',
    settingsFor(facts),
    '--append-system-prompt',
    facts.appendSystemPrompt,
    ...(facts.role === undefined ? [] : roleFlags(facts.role, version)),
    ...(facts.model === undefined ? [] : ['--model', facts.model]),
    ...(facts.agent === undefined ? [] : ['--agent', facts.agent]),
    ...(facts.resume ? ['--resume', facts.sessionId] : ['--session-id', facts.sessionId]),
  ]
}

/**
 * `disableSkillShellExecution`: the CLI runs commands in the text of a skill without a hook or a question. Unless a
 * rule denies them, only this setting stops them.
 */
function settingsFor({ settings, skillCommands = true }: CommandLineFacts): string {
  const closed = skillCommands ? {} : { disableSkillShellExecution: true }
  return JSON.stringify({ ...usualSettings, ...settings, env: { ...envOf(settings), ...underRules }, ...closed })
}

function envOf(settings: CommandLineFacts['settings']): object {
  return isRecord(settings?.['env']) ? settings['env'] : {}
}

/** Tools that neither run code nor write. For a role with other tools, `--restricted` would remove some. */
const readingOnly = new Set(['Read', 'Grep', 'Glob', 'TodoWrite'])

function roleFlags({ onlyTools }: CommandLineRole, version: string | undefined): string[] {
  return [
    // Without this, a resumed conversation keeps the instructions from its creation.
    ...(isSince(version, promptSnapshotSince) ? ['--system-prompt-snapshot', 'off'] : []),
    ...(onlyTools === undefined ? [] : closedTo(onlyTools, version)),
  ]
}

/**
 * Limits a process to a narrowed role. With fewer of these flags, some hooks, servers, skills, commands or agents from
 * the project's or the user's settings remain and run without a hook of Iris (measured on both builds). The flags also
 * drop CLAUDE.md.
 */
function closedTo(tools: readonly string[], version: string | undefined): string[] {
  const isRestricted = isSince(version, restrictedSince) && tools.every((tool) => readingOnly.has(tool))
  return [
    '--tools',
    tools.join(','),
    '--setting-sources',
    '',
    '--disable-slash-commands',
    ...(isRestricted ? ['--restricted'] : []),
  ]
}

/** The arguments for people to read: the system prompt, which may be confidential, is replaced by its length. */
export function withoutSystemPrompt(args: readonly string[]): readonly string[] {
  const prompt = args.indexOf('--append-system-prompt') + 1
  return args.map((word, index) => (prompt > 0 && index === prompt ? `[${word.length} characters]` : word))
}

export interface TerminalLogin {
  readonly variables: Readonly<Record<string, string>>
  readonly tokenFile: string | undefined
  /** The value of `--settings`. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined
}

export interface TerminalFacts {
  readonly directory: string
  readonly executable: string
  readonly configDirectory: string | undefined
  /** The home directory, if it is not that of the person who types the command. */
  readonly home: string | undefined
  readonly sessionId: string
  /**
   * The login of the team's own account, which takes precedence over the person's login and those in settings files.
   */
  readonly login?: TerminalLogin | undefined
  /**
   * The words that connect to the team's machine; the next word is a command for a shell there. Absent for this
   * machine.
   */
  readonly through?: readonly string[] | undefined
}

/**
 * A POSIX shell command that continues a conversation. The CLI finds a conversation only from the conversation's own
 * directory. Pure.
 */
export function terminalCommand(facts: TerminalFacts): string {
  const { through } = facts
  return through === undefined ? commandThere(facts) : [...through, asLogin(facts)].map(quoted).join(' ')
}

/** Runs `claude` in a login shell, whose PATH may contain it; adds the usual locations, which Iris checks too. */
function asLogin(facts: TerminalFacts): string {
  return `exec "$SHELL" -l -c ${quoted(`exec env PATH="$PATH:$HOME/.local/bin:$HOME/.claude/local:/usr/local/bin:/opt/homebrew/bin" sh -c ${quoted(commandThere(facts))}`)}`
}

function commandThere({ directory, executable, configDirectory, home, sessionId, login }: TerminalFacts): string {
  const { variables = {}, tokenFile } = login ?? {}
  const { CLAUDE_CODE_OAUTH_TOKEN: _, ...others } = variables
  const token = tokenFile === undefined ? [] : [`CLAUDE_CODE_OAUTH_TOKEN="$(cat ${quoted(tokenFile)})"`]
  return [
    `cd ${quoted(directory)} &&`,
    ...(home === undefined ? [] : [`HOME=${quoted(home)}`]),
    ...(configDirectory === undefined ? [] : [`CLAUDE_CONFIG_DIR=${quoted(configDirectory)}`]),
    ...Object.entries(tokenFile === undefined ? variables : others).map(
      ([name, value]) => `${name}=${value && quoted(value)}`,
    ),
    ...token,
    quoted(executable),
    ...resumed(sessionId, login).map((word) => word && quoted(word)),
  ].join(' ')
}

/** The id comes last, because a list shows these words once for all conversations, without an id. */
function resumed(sessionId: string, login: TerminalLogin | undefined): readonly string[] {
  const settings = login?.settings === undefined ? [] : ['--settings', JSON.stringify(login.settings)]
  return [...settings, '--resume', sessionId]
}

/**
 * Like `terminalCommand`, but for a start without a shell: returns the directory, the arguments, additions to the
 * person's environment, and the file with the token for `CLAUDE_CODE_OAUTH_TOKEN`.
 */
export function terminalStart(facts: TerminalFacts) {
  const { directory, executable, configDirectory, home, sessionId, through, login } = facts
  if (through !== undefined) return { directory: '/', command: [...through, asLogin(facts)], env: {} }
  const env = {
    ...(home !== undefined && { HOME: home }),
    ...(configDirectory !== undefined && { CLAUDE_CONFIG_DIR: configDirectory }),
    ...login?.variables,
  }
  const tokenFile = login?.tokenFile
  return { directory, command: [executable, ...resumed(sessionId, login)], env, ...(tokenFile && { tokenFile }) }
}

function quoted(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
