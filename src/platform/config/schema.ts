import { z } from 'zod'
import { JsonSchema } from '../../base/protocol/json-schema.ts'
import { logLevels } from '../../base/protocol/log-entry.ts'
import { TeamName } from '../../base/protocol/names.ts'
import { RoleName } from '../../base/protocol/role-name.ts'
import { maxTimeoutMs } from '../../features/messages/contract/messages.ts'
import { account, limitShare } from './account.ts'
import { CallbackEntry, CallbackName } from './callbacks.ts'
import { ChannelEntry, ChannelName } from './channels.ts'
import { Cluster, hostNames } from './cluster.ts'
import { danger, withMetadata } from './field-metadata.ts'
import {
  allowRules,
  budget,
  colour,
  command,
  denyRules,
  duration,
  environment,
  milliseconds,
  model,
  oneOf,
  path,
  permission,
  publicAddress,
  remote,
  sshArguments,
  text,
  tools,
  wholeNumber,
} from './fields.ts'
import { forwardTo } from './forward-to.ts'
import { defaultDatabasePath } from './home.ts'
import { proxy } from './proxy.ts'
import { RoleEntry } from './roles.ts'
import { TriggerEntry, TriggerName } from './triggers.ts'

const onInterrupted = oneOf(['continue', 'report'])

/**
 * The schema itself is checked only when a message is sent, because the check may take long, and reading config.yaml
 * must not.
 */
const contract = JsonSchema.describe('a JSON Schema, as a mapping')

const sessionMcpPath = path.describe('a path; a relative one begins in the directory of the project')
const isolation = oneOf(['home', 'sandbox', 'none'])

// Why changes are dangerous, for all teams and for a single team.
const chosenProgram = danger('chooses the program that runs as you')
const handedOver = danger('goes into the environment of programs that run as you')
const otherLogin = danger('chooses the login that agents use')
const elsewhere = danger('lets whoever answers there allow tools')
const insight = danger('lets agents see more', ['sandbox', 'home', 'none'])
const endpoint = danger('opens a way in for agents over HTTP', [false, true])
const workplace = danger('chooses where agents work')
const endpointPlace = danger('chooses where Iris writes credentials')

const farMachine = danger('chooses the machine where agents work, and a program that runs as you')

const maxGraceMs = 7 * 24 * 3_600_000

/** Options for `remote: ssh …`. If an option is absent, the user's own ssh configuration applies. */
const remoteOptions = z
  .strictObject({
    identity: path.describe('the path of a private key').optional(),
    port: z.int().min(1).max(65_535).optional().describe('a port from 1 to 65535'),
    strictHostKeyChecking: z
      .preprocess((value) => (value === true ? 'yes' : value), oneOf(['yes', 'accept-new']))
      .describe('yes or accept-new')
      .optional(),
    connectTimeout: milliseconds.optional(),
    serverAliveInterval: milliseconds.optional(),
    serverAliveCountMax: wholeNumber(1, 1000, 'questions').optional(),
    compression: z.boolean().describe('true or false').optional(),
    forwardAgent: z.boolean().describe('true or false').optional(),
    extraSshArgs: sshArguments.optional(),
  })
  .describe('a mapping with identity, port and other options of ssh')

const ruleList = {
  allow: withMetadata(allowRules.default([]), danger('lets tools run that nobody is asked about', 'fewer')),
  deny: withMetadata(denyRules.default([]), danger('lets tools run that were denied', 'more')),
}

/**
 * Rules in Claude Code's syntax that decide before people are asked; `from` adds rules for one asker. Deny has
 * precedence.
 */
const permissions = z
  .strictObject({
    ...ruleList,
    from: z
      .preprocess((value) => value ?? {}, z.record(z.string(), z.strictObject(ruleList)))
      .describe('a mapping from askers to their own allow and deny'),
  })
  .describe('a mapping with allow, deny and from, a mapping from askers to their own allow and deny')

/** The default port. If another program has it, Iris takes the next free one. */
export const usualPort = 1615

/** `settings` of config.yaml. Durations are in milliseconds, except `archiveAfterDays` and `keepTurns`. */
export const Settings = z.strictObject({
  /** From the start of a process to its first answer. */
  spawnTimeout: milliseconds.default(20_000),
  /** From the first message of a new session to its first line. */
  sessionInitTimeout: milliseconds.default(30_000),
  /** Silence after which Iris checks whether a process is alive. */
  responseTimeout: milliseconds.default(120_000),
  /** Silence, with no tool running, after which a turn is interrupted. */
  maxSilence: milliseconds.default(600_000),
  /** From a turn's own result to the last report of its background work. */
  backgroundTimeout: milliseconds.default(1_800_000),
  idleTimeout: milliseconds.default(30_000_000),
  maxProcesses: wholeNumber(1, 1000, 'processes').default(10),
  healthCheckInterval: milliseconds.default(30_000),
  /** 0 means any free port. */
  httpPort: withMetadata(
    z.int().min(0).max(65_535).default(usualPort).describe('a port from 1 to 65535, or 0 for any free one'),
    {
      restart: true,
    },
  ),
  /**
   * The address of the owner's own TLS proxy in front of the port; if absent, only this machine can reach the
   * dashboard.
   */
  publicUrl: withMetadata(publicAddress.optional(), danger('lets browsers on other machines reach Iris')),
  /** Default wait when the caller sets no timeout: -1 does not wait, 0 waits until the end. */
  defaultTimeout: duration(-1, maxTimeoutMs)
    .default(30_000)
    .describe(`-1 (do not wait), 0 (wait until the end), a time such as 30s, or 1 to ${maxTimeoutMs} milliseconds`),
  maxMessageBytes: wholeNumber(1, 16_777_216, 'bytes').default(10_485_760),
  /** The size limit for an answer in the store and wherever it is sent; a longer answer is kept whole in a file. */
  maxAnswerBytes: wholeNumber(1000, 16_777_216, 'bytes').default(1_048_576),
  queueLength: wholeNumber(1, 10_000, 'messages').default(32),
  queueTimeout: milliseconds.default(120_000),
  onInterrupted: onInterrupted.default('continue'),
  /** The share of the model's context window at which Iris shortens a conversation. */
  compactAt: z.number().min(0.1).max(0.95).default(0.8).describe('a number from 0.1 to 0.95'),
  onContextFull: oneOf(['compact', 'reset', 'rotate']).default('compact'),
  archiveAfterDays: wholeNumber(1, 36_500, 'days').default(90),
  /** How many days a message that has ended is kept; if absent, forever. */
  keepTurns: wholeNumber(1, 36_500, 'days').optional(),
  deleteArchivedFiles: z.boolean().default(false).describe('true or false'),
  /** How many of the busiest pairs get a process in advance. */
  prewarmPairs: wholeNumber(0, 100, 'pairs').default(3),
  logLevel: oneOf(logLevels).default('info'),
  claudePath: withMetadata(command.optional(), chosenProgram),
  env: withMetadata(environment, handedOver),
  /**
   * The login of the teams on this machine that do not name a login. If absent, the login of the user who runs Iris.
   */
  account: withMetadata(account.optional(), otherLogin),
  /** If absent, a project may be in any directory that the user owns. */
  allowedRoots: withMetadata(
    z
      .array(path)
      .min(1, 'is empty, so no team could have a directory')
      .optional()
      .describe('a list of directories, each an absolute path or one that begins with ~/'),
    danger('chooses where agents may work'),
  ),
  /** How long a permission question waits for a person before it is denied. */
  permissionTimeout: milliseconds.default(600_000),
  /** Whether permission questions also appear in the Claude Code session of the person who asked. */
  elicitation: z.boolean().default(true).describe('true or false'),
  forwardTo: withMetadata(forwardTo.optional(), elsewhere),
  isolation: withMetadata(isolation.default('home'), insight),
  /** Whether a process also gets a configuration for `/mcp/:sessionId`, for agents that need HTTP. */
  sessionMcpEnabled: withMetadata(z.boolean().default(false).describe('true or false'), endpoint),
  sessionMcpPath: withMetadata(sessionMcpPath.default('.claude/iris/mcp'), endpointPlace),
  callsPerMinute: wholeNumber(1, 1_000_000, 'calls').default(600),
  /**
   * The share of the account's limit at which messages start to wait for its reset; if absent, they wait only after a
   * refusal.
   */
  limitAt: limitShare.optional(),
  startsPerMinute: wholeNumber(1, 10_000, 'starts').default(30),
  /** Limits one ask from outside, including everything it causes. */
  budget: budget.optional(),
})

/** `database` of config.yaml. */
export const Database = z.strictObject({
  path: withMetadata(
    path.default(defaultDatabasePath).describe('a path; a relative one begins in the directory of config.yaml'),
    { ...danger('chooses a file that Iris writes'), restart: true },
  ),
})

/** One team of config.yaml. Rules between keys (`path` or `project`, `yes` with `dangerous`) are in team-rules.ts. */
export const TeamEntry = z
  .strictObject({
    path: withMetadata(path.optional(), workplace),
    /** The older name of `path`. */
    project: withMetadata(path.optional(), workplace),
    /** The command that reaches the team's machine, if that is not this machine. */
    remote: withMetadata(remote.optional(), farMachine),
    remoteOptions: withMetadata(remoteOptions.optional(), farMachine),
    /** Whether agents there can reach this daemon's port through the connection, in case they need HTTP. */
    enableReverseMcp: withMetadata(z.boolean().optional().describe('true or false'), endpoint),
    /** How long a process there continues without a connection; its supervisor counts in whole seconds. */
    linkGrace: duration(60_000, maxGraceMs).optional(),
    description: text.optional(),
    idleTimeout: milliseconds.optional(),
    backgroundTimeout: milliseconds.optional(),
    grantPermission: withMetadata(
      permission.default('ask'),
      danger('lets tools run that nobody is asked about', ['no', 'ask', 'forward', 'yes']),
    ),
    /** Confirms `grantPermission: yes`. */
    dangerous: withMetadata(
      z.boolean().default(false).describe('true or false'),
      danger('confirms the right to use every tool', [false, true]),
    ),
    color: colour.optional(),
    claudePath: withMetadata(command.optional(), chosenProgram),
    model: model.optional(),
    allowedTools: withMetadata(tools.optional(), danger('lets tools run that nobody is asked about', 'fewer')),
    disallowedTools: withMetadata(tools.optional(), danger('gives the team tools that were denied to it', 'more')),
    appendSystemPrompt: text.optional(),
    mcpServers: withMetadata(
      oneOf(['iris', 'project']).default('iris'),
      danger('starts servers that run as you', ['iris', 'project']),
    ),
    env: withMetadata(environment, handedOver),
    /** The login of the team's Claude Code. If absent, the login of the user who runs Iris. */
    account: withMetadata(account.optional(), otherLogin),
    onInterrupted: onInterrupted.optional(),
    /** Whether other teams may write into a person's open session. */
    live: withMetadata(
      oneOf(['no', 'ask', 'yes']).default('no'),
      danger('lets other teams write into open sessions', ['no', 'ask', 'yes']),
    ),
    /** Other hosts that may ask the team. If absent, all hosts may; if empty, none may. */
    askedBy: withMetadata(hostNames.optional(), danger('lets other hosts ask your agents')),
    /** The hosts that can continue the team's conversations, including this one. */
    hosts: withMetadata(
      hostNames.min(2, 'names fewer than two hosts').optional(),
      danger('lets other hosts continue conversations'),
    ),
    accepts: contract.optional(),
    returns: contract.optional(),
    permissions: permissions.optional(),
    forwardTo: withMetadata(forwardTo.optional(), elsewhere),
    isolation: withMetadata(isolation.optional(), insight),
    sessionMcpEnabled: withMetadata(z.boolean().optional().describe('true or false'), endpoint),
    sessionMcpPath: withMetadata(sessionMcpPath.optional(), endpointPlace),
  })
  .describe('a mapping with at least path')

/** A section that is empty or has only comments counts as missing. */
function section<Inner extends z.ZodType>(inner: Inner, allowed: string) {
  return z.preprocess((value) => value ?? {}, inner).describe(allowed)
}

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is no name of a header')
const headerValue = z
  .string()
  .regex(/^[\t -~]*$/, 'is not a header value: it contains a line break or a non-ASCII character')

/** The settings of Insight. */
export const InsightEntry = z
  .strictObject({
    patterns: z.boolean().default(true).describe('true or false'),
    drift: z.boolean().default(true).describe('true or false'),
    collisions: z.boolean().default(true).describe('true or false'),
    onCollision: z.enum(['tell', 'ask']).default('tell').describe('tell or ask'),
    warmAhead: z.boolean().default(false).describe('true or false'),
    loadBalancing: z.boolean().default(false).describe('true or false'),
    healing: z.boolean().default(true).describe('true or false'),
    reflection: z.boolean().default(true).describe('true or false'),
    reflectWeekly: z.boolean().default(false).describe('true or false'),
    tracesTo: withMetadata(
      z
        .url({ protocol: /^https?$/, message: 'is not an address that begins with http:// or https://' })
        .optional()
        .describe('an address that begins with http:// or https://'),
      danger('chooses who gets traces, and the keys in their headers'),
    ),
    traceHeaders: withMetadata(
      z.record(headerName, headerValue).default({}).describe('a mapping from names of headers to their values'),
      danger('is sent with every trace request'),
    ),
    /** Traces, and Claude Code's telemetry, go through this proxy. */
    tracesProxy: withMetadata(proxy.optional(), danger('chooses the route of traces and of the keys in their headers')),
    claudeTelemetry: z.boolean().default(false).describe('true or false'),
    traceLink: z
      .string()
      .regex(/^https?:\/\/.*\{traceId\}/, 'is not an address with {traceId} in it')
      .optional()
      .describe('an address with {traceId} in it'),
  })
  .describe('a mapping with drift, collisions and where traces go')

/** config.yaml as a whole. */
export const ConfigFile = z
  .strictObject({
    settings: section(Settings, 'a mapping of settings'),
    database: section(Database, 'a mapping with path'),
    teams: section(z.record(TeamName, TeamEntry), 'a mapping from names of teams to their settings'),
    roles: section(z.record(RoleName, RoleEntry), 'a mapping from names of roles to their rights'),
    channels: section(z.record(ChannelName, ChannelEntry), 'a mapping from names of channels to their settings'),
    callbacks: section(z.record(CallbackName, CallbackEntry), 'a mapping from names of callbacks to their settings'),
    triggers: section(z.record(TriggerName, TriggerEntry), 'a mapping from names of triggers to their settings'),
    insight: section(InsightEntry, 'a mapping with drift, collisions and where traces go'),
    cluster: z
      .preprocess((value) => value ?? undefined, Cluster.optional())
      .describe('a mapping with servers and name'),
  })
  .describe(
    'settings, database, teams, roles, channels, callbacks, triggers, insight and cluster, each with its keys below it',
  )
export type ConfigFile = z.output<typeof ConfigFile>
