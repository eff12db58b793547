import type { CallbackEntry } from './callbacks.ts'
import type { ChannelEntry } from './channels.ts'
import type { Cluster } from './cluster.ts'
import type { RoleEntry } from './roles.ts'
import type { Database, InsightEntry, Settings, TeamEntry } from './schema.ts'
import type { TriggerEntry } from './triggers.ts'

/** A description of each key. docs/guide/configure.md has the same texts, with links to other pages. */
export const fieldDescriptions = {
  settings: {
    spawnTimeout: 'How long a newly started Claude Code may take to respond for the first time.',
    sessionInitTimeout:
      'How long Iris waits for the first line of output after the first message of a new conversation.',
    responseTimeout:
      'How long a working Claude Code may print nothing before Iris checks whether it is alive. Every line restarts the timer.',
    maxSilence:
      'How long Claude Code may print nothing while no tool runs before Iris interrupts it. While a tool of an MCP server runs, six times as long.',
    backgroundTimeout:
      'How long an answer waits for background work that has yet to report: subagents, workflows and watches (30 min). Background commands never delay an answer.',
    idleTimeout: 'How long Iris keeps an idle process (8 h 20 min). Its conversation is kept.',
    maxProcesses: 'How many Claude Code processes may run at once, 1 to 1000. Each needs 200 to 300 MB.',
    healthCheckInterval:
      'How often Iris publishes the state of its processes as events. An idle Claude Code that hangs is found and ended within this time; its conversation is kept.',
    httpPort:
      'The port on this machine, 1 to 65535. With 0, Iris uses any free port. If 1615 is in use, Iris uses the next free one.',
    publicUrl:
      'The `https://` address of your own proxy or tailnet in front of Iris, so that you can open the dashboard on your phone. Without it, only this machine can reach the dashboard.',
    defaultTimeout:
      'Default wait when the caller sets no timeout: 1 to 3600000; 0 waits until the end, -1 does not wait. The work continues either way.',
    maxMessageBytes:
      'The longest message, in bytes (10 MiB), up to 16777216. As JSON it may be at most twice as long, which lowers the limit for messages with many control characters.',
    maxAnswerBytes:
      "The longest answer, in bytes (1 MiB), 1000 to 16777216. Callers get the beginning of a longer answer and can fetch the rest in parts. The whole text is in a file next to the conversation's readable transcript.",
    queueLength: "How many messages may wait in one conversation's queue, 1 to 10000.",
    queueTimeout: 'How long a message waits for a process when all are busy.',
    onInterrupted:
      'What Iris does with a message that a crash interrupted: `continue` lets Claude Code continue it, `report` leaves it to you.',
    compactAt: "How full the model's context window may get before Iris shortens the conversation, from 0 to 1.",
    onContextFull:
      'How Iris shortens it: `compact` lets Claude Code summarize it, `reset` starts an empty conversation, and `rotate` starts one that begins with a summary.',
    archiveAfterDays: 'After how many days without use Iris archives a conversation. The next message restores it.',
    keepTurns:
      'After how many days Iris deletes a finished message with its answer and everything that belongs to them. Default: never.',
    deleteArchivedFiles: "Whether Iris deletes the files of an archived conversation, its own and Claude Code's.",
    prewarmPairs:
      "How many of last week's busiest pairs get a process before anyone asks. Iris keeps one place in the pool free, and needs 300 MB of free memory for each process. With 0, none.",
    logLevel: '`debug`, `info`, `warn` or `error`.',
    claudePath: 'The `claude` to run: an absolute path, a path that begins with `~/`, or the name of a command.',
    env: 'Environment variables for every Claude Code process, as a mapping from names to text.',
    account:
      "The login for all teams on this machine that have none of their own, in `account` or in `env`. It has the same keys as a team's `account`. A team on another machine uses the login there.",
    allowedRoots:
      'The directories in which team projects may be, no matter who owns them. Without this list, a project may be in any directory that you own.',
    permissionTimeout:
      'How long a permission request waits for a person before it is denied (10 min). A change applies to new requests.',
    elicitation:
      'Whether permission requests also appear in the open Claude Code session of the person who asked. Switching it on applies to sessions opened afterwards.',
    forwardTo:
      'Where permission requests go for teams with `grantPermission: forward`: `url`, `secret`, `format`, `private`, `proxy`; or `channel`, `chat`, `approvers`.',
    isolation:
      "What agents cannot see. `home` hides Iris's home, other projects' conversations and Claude Code's sockets, if the machine supports that. `sandbox` hides everything except the project and what Claude Code needs. `none` hides nothing.",
    sessionMcpEnabled:
      'Whether a process also gets a file with an HTTP connection to Iris, which it then uses to ask for permission.',
    sessionMcpPath:
      'The directory for these files. A relative path starts at the project directory, and must not pass through a link.',
    callsPerMinute: 'How many calls one credential, or one agent session, may make per minute, 1 to 1000000.',
    limitAt:
      'How much of a limit of your Claude account may be used, for example 0.9, before messages wait for the limit to reset. Without it, messages wait only after Claude refuses one.',
    startsPerMinute: 'How many Claude Code processes Iris starts per minute; further starts wait.',
    budget:
      'How much one message from outside may use, including everything it causes: `turns`, `tokens`, `cost` (US dollars), `time`. Set only the ones you want to limit.',
  } satisfies Record<keyof typeof Settings.shape, string>,
  database: {
    path: 'The file that stores conversations and messages. A relative path starts at the directory of `config.yaml`.',
  } satisfies Record<keyof typeof Database.shape, string>,
  teams: {
    path: 'The project directory. This is the only required key.',
    project: 'The former name of `path`.',
    remote:
      "The command that reaches the project's machine, such as `ssh inanna`. `path` is then a directory on that machine and is not checked here.",
    remoteOptions:
      'For `remote: ssh …`: `identity`, `port`, `strictHostKeyChecking` (`yes`, `accept-new`), `connectTimeout`, `serverAliveInterval`, `serverAliveCountMax`, `compression`, `forwardAgent`, `extraSshArgs`. Times take a unit, such as `30s`. Everything else comes from your own ssh configuration.',
    enableReverseMcp:
      'With `remote`: whether a process on that machine may reach Iris over HTTP through the connection. Tools and permissions work without it.',
    linkGrace:
      'With `remote`: how long a process on that machine keeps running without a connection before it is ended (30 min). A change applies to new processes.',
    description: 'What the team knows about. Other teams read this to decide which team to ask.',
    idleTimeout: 'As in `settings`, for this team.',
    backgroundTimeout: 'As in `settings`, for this team.',
    grantPermission:
      'Who decides about a tool when no rule does and Claude Code would ask a person. `yes`: always allowed. `no`: never allowed, whatever your own settings allow. `ask`: you decide. `forward`: an endpoint of yours decides, see `forwardTo`.',
    dangerous:
      'Must be `true` if `grantPermission` is `yes`, because everyone who can ask this team can then run any command as you.',
    color: '`"#F69"` or `"#FF6B9D"`. Quote the value: an unquoted `#` starts a comment.',
    claudePath: 'As in `settings`, for this team.',
    model: 'The model, as Claude Code names it.',
    allowedTools:
      "Tools, or rules in Claude Code's form such as `Bash(git log *)`, that are allowed without asking. A list, or one string with commas. A change applies from the next process on; a change to `permissions` applies at once.",
    disallowedTools: 'Tools, or rules in the same form, that are never allowed.',
    appendSystemPrompt:
      "Text added to Claude Code's system prompt. Claude Code stores it with the conversation, so a change affects only new conversations.",
    mcpServers:
      'Which MCP servers the team has. `iris`: only Iris. `project`: also the servers of its project and of your own Claude Code. They add tools at three costs: their descriptions in every model call, a slower start, and trust. Such a server runs as you, and the model reads its answers. Their tools need permission like any other.',
    env: 'Environment variables for this team; they override those in `settings`.',
    account:
      'A separate login for this team: either `configDirectory`, a directory for `CLAUDE_CONFIG_DIR`, or `tokenFile`, a token file that only you can read. `mayContinue: true` lets this account continue conversations of another one. `limitAt` works as in `settings`, for this account.',
    onInterrupted: 'As in `settings`, for this team.',
    live: 'Whether messages with `deliver: live` may enter a Claude Code session that you have open in this project. `ask`: the session only shows a notice until you let the message in with `iris promote`.',
    askedBy: 'The other hosts that may ask this team. Default: all. With an empty list, none.',
    hosts:
      'The hosts that have this team, including this one. Each has a copy of the project. When the host that leads a conversation dies, another one continues it.',
    accepts:
      'A JSON Schema. The team accepts only messages that match it. A message that is not JSON counts as a string.',
    returns: "A JSON Schema for this team's answers. A `responseSchema` in the ask replaces it.",
    permissions:
      "Rules in Claude Code's syntax that decide before a person is asked: `allow`, `deny`, and `from`, which has both for individual askers. A deny rule wins.",
    forwardTo: 'As in `settings`, for this team.',
    isolation: 'As in `settings`, for this team.',
    sessionMcpEnabled: 'As in `settings`, for this team.',
    sessionMcpPath: 'As in `settings`, for this team.',
  } satisfies Record<keyof typeof TeamEntry.shape, string>,
  roles: {
    tools:
      "The Claude Code tools that an answer for this role may use: `all` of the team's, or a list. With a list, Claude Code starts without the hooks, servers, skills and other settings of the project and of yourself.",
    permission:
      "Who decides when Claude Code asks about a tool: `no` denies it, `ask` asks you, `team` uses the team's `grantPermission`. If the team is stricter than the role, the team's setting applies.",
    teams: 'The only teams that may be asked with this role. Default: all.',
    budget: 'How much one message with this role may use, including everything it causes.',
    chatTools: 'What the agent may do in the chat besides answering: `reply`, `react`, `history`, `file`.',
    instructions: "Text added to Claude Code's system prompt at every start.",
  } satisfies Record<keyof typeof RoleEntry.shape, string>,
  channels: {
    platform: '`telegram`, `discord` or `slack`.',
    tokenFile: "The file with the bot's token, which only you can read. Alternative: `tokenVariable`.",
    tokenVariable: "The variable in Iris's environment that has the token.",
    appTokenFile:
      'Slack only: the file with the app-level token (`xapp-…`), which only you can read. Alternative: `appTokenVariable`.',
    appTokenVariable: "Slack only: the variable in Iris's environment that has the app-level token.",
    team: 'The team that answers.',
    role: 'The role of everyone who writes in this channel.',
    allow: 'Ids of people who may write to the bot, in addition to those who were paired.',
    groups:
      'Groups (on Discord and Slack: channels) in which the bot answers, by id. `mention`: when it is mentioned or replied to; `always`: every message. Everyone in such a group may ask.',
    approvers:
      'Ids of people who may use buttons in the chat to answer permission requests from turns that began there.',
    whenBusy:
      'What happens to a message that arrives during an answer in the same chat. `queue`: it waits. `steer`: it joins the running answer. A message with files always waits.',
    sessionTimeout: 'How long a chat may be quiet before its next message begins a new conversation (30 min).',
    maxSessions:
      'How many chat conversations may be open. Opening one more archives the least recently used one; that chat is informed with its next answer.',
    cleanupInterval: 'How often Iris archives unused conversations (5 min).',
    catchUpMessages: 'Iris answers at most this many of the messages that arrived while it was stopped.',
    catchUpAge: 'Messages older than this are listed instead of answered (1 h).',
    apiRoot: "A different server for the platform's API. It receives the token.",
    proxy:
      'The forward proxy to the platform: `url` and, if it asks for them, `user` and `passwordFile` or `passwordVariable`.',
  } satisfies Record<keyof typeof ChannelEntry.shape, string>,
  callbacks: {
    url: 'The address of your program: `https://`, or `http://` on this machine.',
    secretFile:
      'The file with the signing secret, which only you can read. To change the secret, list up to three files: Iris signs with each.',
    events:
      'Which events are posted: `turn-accepted`, `turn-settled`, `permission:request`, `permission:resolved`, `permission:timeout`. Default: the end of each message.',
    teams: 'The teams whose messages may name the callback. Default: all.',
    include: '`status`, or `answer` to include the text and the value of the answer.',
    private: 'Whether the host name in `url` may resolve to an address in your own network.',
    proxy:
      "The forward proxy to that address: `url` and, if it asks for them, `user` and `passwordFile` or `passwordVariable`. With a proxy, Iris doesn't check the address.",
  } satisfies Record<keyof typeof CallbackEntry.shape, string>,
  triggers: {
    secretFile:
      'The file with the secret that the sender signs with or sends. Only you can read it. To replace the secret, list two files for a while; both are accepted.',
    scheme:
      'How the sender proves that it has the secret. One of `standard` (Standard Webhooks), `github`, or `token` (it sends the secret itself).',
    team: 'The team that answers.',
    role: 'The role of every message from this trigger.',
    thread:
      'The thread for its messages. If it contains a path, such as `issue-{{issue.number}}`, each value gets its own conversation.',
    message:
      'The message. `{{issue.title}}` stands for the value at that path in the event. Values are data, on lines of their own.',
    budget: 'How much one message may use, including everything it causes.',
    when: 'Only events that have these values at these paths become messages.',
    callback: 'The callback that receives the events of each message.',
    metadata: 'Values from the event to return with each callback, by name and path; 2 KiB in all.',
  } satisfies Record<keyof typeof TriggerEntry.shape, string>,
  insight: {
    patterns: 'Whether `iris insight patterns` can report what happens repeatedly.',
    drift: 'Whether Iris tells an asker that a file behind an earlier answer has changed.',
    collisions:
      'Whether Iris warns two agents that work at the same time when both use a file and one is about to change it.',
    onCollision:
      'What happens when an agent is about to write a file that another running message has changed. `tell`: Iris warns both agents and stops the write; repeating it works. `ask`: the write waits for a permission request to be answered.',
    warmAhead:
      'Whether Iris starts processes ahead of need. If team B usually asks team C after it was asked, Iris starts the process in which C answers while B is still working. It uses only free places.',
    loadBalancing:
      'Whether Iris balances the load when all places are taken. It ends the idle process whose next message is expected last, if that is clear. Messages that are usually answered sooner get a process first; each other message is overtaken at most four times.',
    healing: 'Whether Iris records the faults it found and healed. It heals them either way.',
    reflection: 'Whether `iris insight reflect` can suggest what you could change.',
    reflectWeekly: 'Whether Iris runs `iris insight reflect` weekly and reports how many suggestions it found.',
    tracesTo:
      'Where Iris sends traces, by OTLP over HTTP, for example `http://127.0.0.1:4318/v1/traces`. Default: nowhere.',
    traceHeaders: 'Headers for these requests, for example `authorization`. Their values are secrets.',
    tracesProxy:
      'The forward proxy to that address: `url` and, if it asks for them, `user` and `passwordFile` or `passwordVariable`.',
    claudeTelemetry:
      'With `tracesTo`: whether Claude Code also sends its own spans, log records and metrics through Iris, each under its message. They contain no texts.',
    traceLink:
      'The address of a trace in your own viewer, for example `http://127.0.0.1:16686/trace/{traceId}`. The dashboard links to it.',
  } satisfies Record<keyof typeof InsightEntry.shape, string>,
  cluster: {
    servers:
      'The addresses of the NATS servers, each with its port: `nats://`, or `tls://` and the name in their certificate.',
    name: 'The name of this host. Others ask its teams as `team@name`.',
    credentials:
      "The file with this host's login for the servers, which only you can read: a `.creds` file, or one line `user:password`.",
    ca: 'The file with the CA certificate of the servers (PEM), for `tls://`. Default: the authorities that Node trusts.',
    monitor:
      'The monitoring port of a server, such as `http://10.0.0.5:8222`. `iris doctor` reads there how often the server writes to disk.',
    leaderAway:
      'If the servers lose their records, how long a message waits for the host that had begun it, in milliseconds. Then it ends as `in_doubt`.',
    replicas: 'How many servers keep each message, 1 to 5. Use 3 in production.',
  } satisfies Record<keyof typeof Cluster.shape, string>,
} as const
