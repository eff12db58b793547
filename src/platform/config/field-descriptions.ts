import type { Database, Settings, TeamEntry } from './schema.ts'

/** What each key is for: the words of docs/guide/configure.md, without its links to other pages. */
export const fieldDescriptions = {
  settings: {
    spawnTimeout: 'How long a started Claude Code may take until it answers for the first time.',
    sessionInitTimeout: 'How long the first message of a new conversation may take until the first line comes back.',
    responseTimeout:
      'How long a working Claude Code may be silent until Iris asks it whether it still lives. Every line starts this time again.',
    maxSilence: 'How long it may be silent, with no tool running, until Iris interrupts it.',
    backgroundTimeout:
      'How long an answer waits for what the agent started in the background and what has a report to make: subagents, workflows, watches (30 min). A command in the background never holds it.',
    idleTimeout: 'How long a process with nothing to do is kept (8 h 20 min). Its conversation outlives it.',
    maxProcesses: 'How many Claude Code processes run at once, 1 to 1000. Each takes some 200 to 300 MB.',
    healthCheckInterval:
      'Within this time an idle Claude Code that hangs is found and ended; its conversation stays. So often Iris says in its events how its processes stand.',
    httpPort: 'The port on this machine, 1 to 65535. 0 takes any free one.',
    defaultTimeout:
      'How long a caller waits for an answer who does not say: 1 to 3600000, 0 until it is there, -1 not at all. The work goes on either way.',
    maxMessageBytes: 'The longest message, in bytes (10 MiB), up to 16777216.',
    queueLength: 'How many messages may wait for one conversation, 1 to 10000.',
    queueTimeout: 'How long a message waits for a process when all are busy.',
    onInterrupted:
      'What becomes of a message that a crash interrupted: `continue` lets Claude Code go on with it, `report` leaves it to you.',
    compactAt: "Share of the model's context window from which a conversation is made shorter.",
    onContextFull:
      'How: `compact` has Claude Code summarise it, `reset` starts afresh, `rotate` opens a new one with a summary of the old.',
    archiveAfterDays: 'A conversation unused for so long is archived; the next message brings it back.',
    deleteArchivedFiles: 'Whether what Claude Code and Iris wrote of an archived conversation is deleted.',
    prewarmPairs:
      'How many of the busiest pairs of the last week are started before they are asked, if one place and 300 MB for each stay free; 0: none.',
    logLevel: '`debug`, `info`, `warn` or `error`.',
    claudePath: 'The `claude` to run: an absolute path, one that begins with `~/`, or the name of a command.',
    env: 'Environment variables for every Claude Code process, as a mapping from names to text.',
    allowedRoots:
      'A list of directories in which teams may be. Without it a team may be in any directory that belongs to you; with it, in these only, whoever they belong to.',
    permissionTimeout:
      'How long a question whether a tool may run waits for a person (10 min). Then it is a denial. Counts for questions asked from then on.',
    forwardTo: 'Where the questions of teams with `grantPermission: forward` go: `url`, `secret`, `format`.',
    isolation:
      "What agents cannot see: `home` hides the home of Iris, other projects' conversations and Claude Code's sockets where the machine can, `sandbox` all but the project and what Claude Code needs, `none` nothing.",
    sessionMcpEnabled:
      'Whether a process also gets a file that connects it over HTTP, through which it then asks for permissions.',
    sessionMcpPath:
      'The directory of these files. A relative path begins in the directory of the project, and no link may lead on from there.',
    callsPerMinute: 'How many calls one credential, or one session of an agent, may make in a minute, 1 to 1000000.',
    startsPerMinute: 'How many Claude Code processes are started in a minute; one more waits.',
    budget:
      'What one message from outside, with everything it causes, may use up: `turns`, `tokens`, `cost` (US dollars), `time`; each if it is to be held.',
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
      'For `remote: ssh …`: `identity`, `port`, `strictHostKeyChecking` (`yes`, `accept-new`), `connectTimeout`, `serverAliveInterval`, `serverAliveCountMax`, `compression`, `forwardAgent`, `extraSshArgs`. What is not said is as your own ssh has it.',
    enableReverseMcp:
      'With `remote`: whether a process there may reach Iris over HTTP through the connection. Tools and permissions need it not.',
    description: 'What the team knows. Other teams read it to decide whom to ask.',
    idleTimeout: 'As in `settings`, for this team.',
    backgroundTimeout: 'As in `settings`, for this team.',
    grantPermission:
      'Whether the team may use a tool that no rule decides and that Claude Code would ask a person about. `yes`: always, `no`: never, whatever your own settings allow. `ask`: you are. `forward`: an endpoint of yours is, see `forwardTo`.',
    dangerous:
      'Must be `true` where `grantPermission` is `yes`: it lets whoever can ask this team run any command as you.',
    color: '`"#F69"` or `"#FF6B9D"`. In quotes: an unquoted `#` begins a comment.',
    claudePath: 'As in `settings`, for this team.',
    model: 'The model, as Claude Code names it.',
    allowedTools:
      "Tools, or rules in Claude Code's form such as `Bash(git log *)`, that need no question. A list, or one text with commas between them. They hold from the next process on, `permissions` at once.",
    disallowedTools: 'Tools or rules that the team never gets. Written likewise.',
    appendSystemPrompt:
      "Text added to Claude Code's system prompt. Claude Code keeps it with a conversation: a change reaches new ones only.",
    mcpServers:
      'Which MCP servers the team has: `iris` alone, or `project`: those of its project and of your own Claude Code too. That buys their tools; it costs their descriptions in every call of the model, a slower start, and trust: such a server runs as you, and what it says the model reads. Their tools are asked about like others.',
    env: 'Environment variables for this team; they win over those in `settings`.',
    onInterrupted: 'As in `settings`, for this team.',
    permissions:
      'Rules in the syntax of Claude Code that answer before people do: `allow`, `deny`, and `from` with both for single askers. Deny wins.',
    forwardTo: 'As in `settings`, for this team.',
    isolation: 'As in `settings`, for this team.',
    sessionMcpEnabled: 'As in `settings`, for this team.',
    sessionMcpPath: 'As in `settings`, for this team.',
  } satisfies Record<keyof typeof TeamEntry.shape, string>,
} as const
