import { z } from 'zod'
import type { LogLevel } from '../lib/log.ts'
import { Budget } from '../protocol/budget.ts'
import { longestTimeoutMs } from '../protocol/operations/messages.ts'
import { TeamName } from '../protocol/party.ts'
import {
  colour,
  command,
  environment,
  milliseconds,
  model,
  oneOf,
  path,
  permission,
  rules,
  text,
  tools,
  wholeNumber,
} from './fields.ts'
import { forwardTo } from './forward-to.ts'
import { defaultDatabasePath } from './home.ts'

// Written out: lib/log.ts brings pino with it, which would be most of the time that this folder takes to load.
const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]
const onInterrupted = oneOf(['continue', 'report'])

const sessionMcpPath = path.describe('a path; a relative one begins in the directory of the project')
const isolation = oneOf(['home', 'sandbox', 'none'])

const ruleList = {
  allow: rules.default([]),
  deny: rules.default([]),
}

/** Rules in Claude Code's syntax, asked before people are; `from` adds those for one asker. Deny wins. */
const permissions = z
  .strictObject({
    ...ruleList,
    from: z.preprocess((value) => value ?? {}, z.record(z.string(), z.strictObject(ruleList))),
  })
  .describe('a mapping with allow, deny and from, a mapping from askers to their own allow and deny')

/** `settings` of config.yaml. Every duration is in milliseconds. */
export const Settings = z.strictObject({
  /** From the start of a process to its first answer. */
  spawnTimeout: milliseconds.default(20_000),
  /** From the first message of a new session to its first line. */
  sessionInitTimeout: milliseconds.default(30_000),
  /** Silence after which a process is asked whether it still lives. */
  responseTimeout: milliseconds.default(120_000),
  /** Silence, with no tool running, after which a turn is interrupted. */
  maxSilence: milliseconds.default(600_000),
  idleTimeout: milliseconds.default(30_000_000),
  maxProcesses: wholeNumber(1, 1000, 'processes').default(10),
  healthCheckInterval: milliseconds.default(30_000),
  /** 0: any free one. */
  httpPort: z.int().min(0).max(65_535).default(1615).describe('a port from 1 to 65535, or 0 for any free one'),
  /** How long a caller waits who does not say: -1 not at all, 0 until the end. */
  defaultTimeout: wholeNumber(-1, longestTimeoutMs, 'milliseconds')
    .default(30_000)
    .describe(`-1 (do not wait), 0 (wait until the end) or 1 to ${longestTimeoutMs} milliseconds`),
  maxMessageBytes: wholeNumber(1, 16_777_216, 'bytes').default(10_485_760),
  queueLength: wholeNumber(1, 10_000, 'messages').default(32),
  queueTimeout: milliseconds.default(120_000),
  onInterrupted: onInterrupted.default('continue'),
  /** Share of the model's context window from which a conversation is made shorter. */
  compactAt: z.number().min(0.1).max(0.95).default(0.8).describe('a number from 0.1 to 0.95'),
  onContextFull: oneOf(['compact', 'reset', 'rotate']).default('compact'),
  archiveAfterDays: wholeNumber(1, 36_500, 'days').default(90),
  deleteArchivedFiles: z.boolean().default(false).describe('true or false'),
  /** How many of the busiest pairs are started before they are asked. */
  prewarmPairs: wholeNumber(0, 100, 'pairs').default(3),
  logLevel: oneOf(logLevels).default('info'),
  claudePath: command.optional(),
  env: environment,
  /** Absent: any directory that the user owns. */
  allowedRoots: z
    .array(path)
    .min(1, 'is empty, so that no team could be anywhere')
    .optional()
    .describe('a list of directories, each an absolute path or one that begins with ~/'),
  /** How long a permission question waits for a person; then it is denied. */
  permissionTimeout: milliseconds.default(600_000),
  forwardTo: forwardTo.optional(),
  isolation: isolation.default('home'),
  /** Whether a process also gets a configuration for `/mcp/:sessionId`, for agents that need HTTP. */
  sessionMcpEnabled: z.boolean().default(false).describe('true or false'),
  sessionMcpPath: sessionMcpPath.default('.claude/iris/mcp'),
  callsPerMinute: wholeNumber(1, 1_000_000, 'calls').default(600),
  startsPerMinute: wholeNumber(1, 10_000, 'starts').default(30),
  /** Of one ask from outside, with everything it causes. */
  budget: Budget.describe(
    'a mapping with turns, tokens, cost (US dollars) and time (milliseconds), each if it is to be held',
  ).optional(),
})

/** `database` of config.yaml. */
export const Database = z.strictObject({
  path: path.default(defaultDatabasePath).describe('a path; a relative one begins in the directory of config.yaml'),
})

/** One team of config.yaml. What goes only together (`path` or `project`, `yes` with `dangerous`) is in team-rules.ts. */
export const TeamEntry = z
  .strictObject({
    path: path.optional(),
    /** The older name of `path`. */
    project: path.optional(),
    description: text.optional(),
    idleTimeout: milliseconds.optional(),
    grantPermission: permission.default('ask'),
    /** Says that `grantPermission: yes` is meant. */
    dangerous: z.boolean().default(false).describe('true or false'),
    color: colour.optional(),
    claudePath: command.optional(),
    model: model.optional(),
    allowedTools: tools.optional(),
    disallowedTools: tools.optional(),
    appendSystemPrompt: text.optional(),
    mcpServers: oneOf(['iris', 'project']).default('iris'),
    env: environment,
    onInterrupted: onInterrupted.optional(),
    permissions: permissions.optional(),
    forwardTo: forwardTo.optional(),
    isolation: isolation.optional(),
    sessionMcpEnabled: z.boolean().optional().describe('true or false'),
    sessionMcpPath: sessionMcpPath.optional(),
  })
  .describe('a mapping with at least path')

/** A section with nothing in it, or with comments only, counts as not written. */
function section<Inner extends z.ZodType>(inner: Inner, allowed: string) {
  return z.preprocess((value) => value ?? {}, inner).describe(allowed)
}

/** config.yaml as a whole. */
export const ConfigFile = z
  .strictObject({
    settings: section(Settings, 'a mapping of settings'),
    database: section(Database, 'a mapping with path'),
    teams: section(z.record(TeamName, TeamEntry), 'a mapping from names of teams to what they are'),
  })
  .describe('settings, database and teams, each with its keys below it')
export type ConfigFile = z.output<typeof ConfigFile>
