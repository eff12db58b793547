import type { CallbackEntry } from './callbacks.ts'
import type { ChannelEntry } from './channels.ts'
import type { Cluster } from './cluster.ts'
import type { RoleEntry } from './roles.ts'
import type { Database, InsightEntry, Settings, TeamEntry } from './schema.ts'
import type { TriggerEntry } from './triggers.ts'

/** What each key is for: the words of docs/guide/configure.md, without its links to other pages. */
export const fieldDescriptions = {
  settings: {
    spawnTimeout: 'How long a started Claude Code may take until it answers for the first time.',
    sessionInitTimeout: 'How long the first message of a new conversation may take until the first line comes back.',
    responseTimeout:
      'How long a working Claude Code may be silent before Iris checks whether it is alive. Every line restarts this time.',
    maxSilence:
      'How long it may be silent, with no tool running, until Iris interrupts it; six times as long with a tool of an MCP server.',
    backgroundTimeout:
      'How long an answer waits for background work that still has to report: subagents, workflows, watches (30 min). A command in the background never delays it.',
    idleTimeout: 'How long Iris keeps a process with nothing to do (8 h 20 min). Its conversation stays.',
    maxProcesses: 'How many Claude Code processes run at once, 1 to 1000. Each takes 200 to 300 MB.',
    healthCheckInterval:
      'Iris finds and ends an idle Claude Code that hangs within this time; its conversation stays. At this interval Iris also publishes the state of its processes as events.',
    httpPort:
      'The port on this machine, 1 to 65535. 0 takes any free one. If another program has 1615, Iris takes the next free one.',
    publicUrl:
      'The `https://` address of your own proxy or tailnet in front of Iris, for the dashboard on your telephone. Without it only this machine reaches the dashboard.',
    defaultTimeout:
      'Default wait when the caller sets no timeout: 1 to 3600000; 0 waits until the end, -1 does not wait. The work goes on either way.',
    maxMessageBytes:
      'The longest message, in bytes (10 MiB), up to 16777216. One with many control characters may be shorter: as JSON it has at most twice as many bytes.',
    maxAnswerBytes:
      'The longest answer, in bytes (1 MiB), 1000 to 16777216. Of a longer one callers get the beginning, and the rest in parts. All of it is a file beside the readable transcript of the conversation.',
    queueLength: 'How many messages may wait for one conversation, 1 to 10000.',
    queueTimeout: 'How long a message waits for a process when all are busy.',
    onInterrupted:
      'What Iris does with a message that a crash interrupted: `continue` lets Claude Code continue it, `report` leaves it to you.',
    compactAt: "Share of the model's context window at which Iris shortens a conversation.",
    onContextFull:
      'How Iris shortens it: `compact` lets Claude Code summarise it, `reset` begins with nothing, `rotate` opens a new one with a summary of the old.',
    archiveAfterDays: 'Iris archives a conversation that was not used for so many days; the next message restores it.',
    keepTurns:
      'Iris deletes a message, its answer and all that belongs to it so many days after its end. Default: never.',
    deleteArchivedFiles: "Whether Iris deletes the files of an archived conversation, its own and Claude Code's.",
    prewarmPairs:
      "How many of last week's busiest pairs get a process before they are asked. One place in the pool must stay free, and 300 MB for each. 0: none.",
    logLevel: '`debug`, `info`, `warn` or `error`.',
    claudePath: 'The `claude` to run: an absolute path, one that begins with `~/`, or the name of a command.',
    env: 'Environment variables for every Claude Code process, as a mapping from names to text.',
    account:
      'The login of all teams on this machine that name none, here or in `env`; the keys are those of `account` of a team. A team on another machine has the login there.',
    allowedRoots:
      'A list of directories in which teams may be. Without it, a team may be in any directory that belongs to you. With it, a team may be only in these, whoever owns them.',
    permissionTimeout:
      'How long a permission request waits for a person (10 min). Then it is denied. A change applies to new questions.',
    elicitation:
      'Whether permission requests also come up in the open Claude Code of the person who asked. `true` holds for sessions that are opened afterwards.',
    forwardTo:
      'Where the questions of teams with `grantPermission: forward` go: `url`, `secret`, `format`, `private`, `proxy`; or `channel`, `chat`, `approvers`.',
    isolation:
      "What agents cannot see. `home` hides the home of Iris, other projects' conversations and Claude Code's sockets, where the machine can. `sandbox` hides all but the project and what Claude Code needs. `none` hides nothing.",
    sessionMcpEnabled:
      'Whether a process also gets a file with an HTTP connection to Iris, over which it then asks for permissions.',
    sessionMcpPath:
      'The directory of these files. A relative path begins in the directory of the project, and no link may be on the way from there.',
    callsPerMinute: 'How many calls one credential, or one session of an agent, may make in a minute, 1 to 1000000.',
    limitAt:
      'Share of a limit of your Claude account from which messages wait for its reset, for example 0.9. Without it only a refusal counts.',
    startsPerMinute: 'How many Claude Code processes Iris starts in a minute; one more waits.',
    budget:
      'What one message from outside may use, with everything it causes: `turns`, `tokens`, `cost` (US dollars), `time`. Set those that you want to limit.',
  } satisfies Record<keyof typeof Settings.shape, string>,
  database: {
    path: 'The file of conversations and messages. A relative path begins in the directory of `config.yaml`.',
  } satisfies Record<keyof typeof Database.shape, string>,
  teams: {
    path: 'The directory of the project; the only key that a team must have.',
    project: 'The older name of `path`.',
    remote:
      'The command that reaches the machine of the project, such as `ssh inanna`. `path` is a directory there then, and nothing of it is looked up here.',
    remoteOptions:
      'For `remote: ssh …`: `identity`, `port`, `strictHostKeyChecking` (`yes`, `accept-new`), `connectTimeout`, `serverAliveInterval`, `serverAliveCountMax`, `compression`, `forwardAgent`, `extraSshArgs`. Times take a unit, such as `30s`. Everything else is as in your own ssh configuration.',
    enableReverseMcp:
      'With `remote`: whether a process there may reach Iris over HTTP through the connection. Tools and permissions do not need it.',
    linkGrace:
      'With `remote`: how long a process there goes on without a connection (30 min). Then it is ended there. A change applies to new processes.',
    description: 'What the team knows. Other teams read it to decide whom to ask.',
    idleTimeout: 'As in `settings`, for this team.',
    backgroundTimeout: 'As in `settings`, for this team.',
    grantPermission:
      'Who decides about a tool if no rule does and Claude Code would ask a person. `yes`: always allowed. `no`: never allowed, whatever your own settings allow. `ask`: you decide. `forward`: an endpoint of yours decides, see `forwardTo`.',
    dangerous:
      'Must be `true` if `grantPermission` is `yes`, because everyone who can ask this team can then run any command as you.',
    color: '`"#F69"` or `"#FF6B9D"`. In quotes: an unquoted `#` begins a comment.',
    claudePath: 'As in `settings`, for this team.',
    model: 'The model, as Claude Code names it.',
    allowedTools:
      "Tools, or rules in Claude Code's form such as `Bash(git log *)`, that need no question. A list, or one text with commas. A change applies from the next process on; a change of `permissions` applies at once.",
    disallowedTools: 'Tools or rules that the team never gets, in the same form.',
    appendSystemPrompt:
      "Text added to Claude Code's system prompt. Claude Code keeps it with a conversation, so a change reaches only new ones.",
    mcpServers:
      'Which MCP servers the team has. `iris`: Iris alone. `project`: also those of its project and of your own Claude Code. They add tools, and cost three things: their descriptions in every call of the model, a slower start, and trust. Such a server runs as you, and the model reads its answers. Their tools need permission like others.',
    env: 'Environment variables for this team; they override those in `settings`.',
    account:
      'The login of this team, if it is not yours. Either `configDirectory`, a directory for `CLAUDE_CONFIG_DIR`, or `tokenFile`, a file with a token that only you can read. `mayContinue: true` lets conversations of another account go on with this one. `limitAt` is for this account what it is in `settings`.',
    onInterrupted: 'As in `settings`, for this team.',
    live: 'Whether messages with `deliver: live` may come into a session of Claude Code that you have open in this project. `ask`: only its notice, until you let it in with `iris promote`.',
    askedBy: 'The other hosts that may ask this team. Absent: all of them. An empty list: none.',
    hosts:
      'The hosts that have this team, this one included. Each has a copy of the project. When the host that leads a conversation dies, another one goes on with it.',
    accepts: 'A JSON Schema: this team takes only messages that meet it. A message that is no JSON counts as a string.',
    returns: 'A JSON Schema for the answers of this team. A `responseSchema` of the ask replaces it.',
    permissions:
      "Rules in Claude Code's syntax that decide before people do: `allow`, `deny`, and `from` with both for single askers. A rule that denies wins.",
    forwardTo: 'As in `settings`, for this team.',
    isolation: 'As in `settings`, for this team.',
    sessionMcpEnabled: 'As in `settings`, for this team.',
    sessionMcpPath: 'As in `settings`, for this team.',
  } satisfies Record<keyof typeof TeamEntry.shape, string>,
  roles: {
    tools:
      "Tools of Claude Code that an answer for this role may use: `all` the team's, or a list. With a list, Claude Code starts without hooks, servers, skills and other settings of the project and of you.",
    permission:
      'Who decides when Claude Code asks about a tool: `no` denies, `ask` asks you, `team` is the `grantPermission` of the team. A stricter team stays stricter.',
    teams: 'The only teams that may be asked with this role; all of them without it.',
    budget: 'What one message with this role may use, with everything it causes.',
    chatTools:
      'What the agent may do in the chat that asks it, besides answering: `reply`, `react`, `history`, `file`.',
    instructions: "Text added to Claude Code's system prompt at every start.",
  } satisfies Record<keyof typeof RoleEntry.shape, string>,
  channels: {
    platform: '`telegram`, `discord` or `slack`.',
    tokenFile: 'The file with the token of the bot, readable by you alone. This or `tokenVariable`.',
    tokenVariable: 'The environment variable of Iris with the token.',
    appTokenFile:
      'Slack only: the file with the app-level token (`xapp-…`), readable by you alone. This or `appTokenVariable`.',
    appTokenVariable: 'Slack only: the environment variable of Iris with the app-level token.',
    team: 'The team that answers.',
    role: 'The role of everybody who talks there.',
    allow: 'Ids of people who may write to the bot, besides those who were paired.',
    groups:
      'Groups (on Discord and Slack: channels) in which it answers, by id: `mention` when it is named or replied to, `always` every message. Everybody in such a group may ask.',
    approvers:
      'Ids of people who may answer, by buttons in the chat, the permission requests of turns that began there.',
    whenBusy:
      'What a message does that comes while another one of its chat is answered: `queue` waits, `steer` joins the running answer. One with files waits.',
    sessionTimeout: 'After this time without a message, the next message begins a new conversation (30 min).',
    maxSessions:
      'How many conversations of chats are open; one more archives the one that was used longest ago. Its chat learns that with its next answer.',
    cleanupInterval: 'How often Iris archives conversations that nobody uses (5 min).',
    catchUpMessages: 'How many of the messages that came while Iris was stopped get an answer, at most.',
    catchUpAge: 'Older messages are not answered, but listed (1 h).',
    apiRoot: "Another server of the platform's API; it gets the token.",
    proxy:
      'The forward proxy to the platform: `url` and, if it asks for them, `user` and `passwordFile` or `passwordVariable`.',
  } satisfies Record<keyof typeof ChannelEntry.shape, string>,
  callbacks: {
    url: 'The address of your program: `https://`, or `http://` on this machine.',
    secretFile:
      'The file with the secret that signs, readable by you alone. A list of up to three: each signs, while your program changes to another one.',
    events:
      'What is posted: `turn-accepted`, `turn-settled`, `permission:request`, `permission:resolved`, `permission:timeout`. Without it the end of each message.',
    teams: 'The teams whose messages may name the callback; all of them without it.',
    include: '`status`, or `answer`: with the text and the value of the answer.',
    private: 'Whether the name in `url` may lead to an address of your own network.',
    proxy:
      'The forward proxy to that address: `url` and, if it asks for them, `user` and `passwordFile` or `passwordVariable`. Iris then checks no address.',
  } satisfies Record<keyof typeof CallbackEntry.shape, string>,
  triggers: {
    secretFile:
      'The file with the secret that the sender signs with or sends, readable by you alone. While you replace it, two files, which both count.',
    scheme:
      'How the sender proves that it has the secret. One of `standard` (Standard Webhooks), `github`, or `token` (it sends the secret itself).',
    team: 'The team that answers.',
    role: 'The role of every message of this trigger.',
    thread:
      'The thread of its messages. With a path in it, such as `issue-{{issue.number}}`, each value has a conversation of its own.',
    message:
      'The message. `{{issue.title}}` is the value at that path of the event. Values are data, in lines of their own.',
    budget: 'What one message may use, with everything it causes.',
    when: 'Only events that have these values at these paths become messages.',
    callback: 'The callback that gets what becomes of each message.',
    metadata: 'What comes back with that, by name: the values at these paths of the event, 2 KiB in all.',
  } satisfies Record<keyof typeof TriggerEntry.shape, string>,
  insight: {
    patterns: 'Iris reports what happens again and again, when it is asked: `iris insight patterns`.',
    drift: 'Iris tells an asker when a file changes that an earlier answer relied on.',
    collisions: 'Iris tells two messages that are answered at once when both use a file and one is about to change it.',
    onCollision:
      'What happens before a file is written that another message at work has changed. `tell`: both agents hear of it, and the write runs when it is repeated. `ask`: the write waits for a person, by a permission request.',
    warmAhead: 'When A asks B and B then usually asks C, the process of B and C starts while B works, in a free place.',
    loadBalancing:
      'Of idle processes the one that holds its place longest for a message makes room, where that is clear. Of messages that wait for a process, one that is usually answered sooner overtakes the others; each is overtaken four times at most.',
    healing: 'Iris records which faults it found and healed. It heals them in any case.',
    reflection: 'Iris suggests what you could change, when it is asked: `iris insight reflect`.',
    reflectWeekly:
      'Iris looks each week for what you could change, as `iris insight reflect` does, and says how much it found.',
    tracesTo:
      'Where traces are sent by OTLP over HTTP, for example `http://127.0.0.1:4318/v1/traces`. Absent: nowhere, and nothing is loaded for it.',
    traceHeaders: 'Headers of these requests, for example an `authorization`. Their values are secrets.',
    tracesProxy:
      'The forward proxy to that address: `url` and, if it asks for them, `user` and `passwordFile` or `passwordVariable`.',
    claudeTelemetry:
      'With `tracesTo`: Claude Code sends its own spans, log records and metrics too, through Iris, each under its message. No texts.',
    traceLink:
      'A page of your own viewer, for example `http://127.0.0.1:16686/trace/{traceId}`. The dashboard links to it.',
  } satisfies Record<keyof typeof InsightEntry.shape, string>,
  cluster: {
    servers:
      'The addresses of the NATS servers, each with its port: `nats://`, or `tls://` and the name in their certificate.',
    name: 'The name of this host. Others ask its teams as `team@name`.',
    credentials:
      'The file with what this host shows the servers, readable by you alone: a `.creds` file, or one line `user:password`.',
    ca: 'The file with the certificate that signed those of the servers (PEM), for `tls://`. Absent: the authorities that Node knows.',
    monitor:
      'The monitoring port of a server, such as `http://10.0.0.5:8222`. `iris doctor` reads there when the server writes to its disk.',
    leaderAway:
      'How long a message waits for the host that had begun it, milliseconds, where the servers have lost what that host did. Then it ends `in_doubt`.',
    replicas: 'How many servers keep each message, 1 to 5. Use 3 in production.',
  } satisfies Record<keyof typeof Cluster.shape, string>,
} as const
