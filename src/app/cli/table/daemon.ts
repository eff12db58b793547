import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

/** The daemon itself, its state, and what connects others to it. */
export const daemon: readonly CommandSpec[] = [
  {
    name: 'status',
    group: 'Daemon',
    summary: 'Show whether the daemon runs, and the state of each team',
    examples: [
      ['status', 'which teams are awake, and what they work on'],
      ['status --json', 'the same for programs; {"running":false} where none runs'],
    ],
    load: async () => (await import('../../../views/health/commands/status.ts')).status,
  },
  {
    name: 'monitor',
    group: 'Daemon',
    summary: 'Watch processes, queues, live answers, questions and the log, and answer the questions',
    examples: [
      ['monitor', 'fills the terminal; ? shows the keys, q leaves'],
      ['monitor --json', 'each event as a line of JSON, until Ctrl-C'],
    ],
    load: async () => (await import('../commands/monitor.ts')).monitor,
  },
  {
    name: 'doctor',
    group: 'Daemon',
    summary: 'Check the installation, and say how to fix what is wrong',
    options: [
      ['--fix', 'Fix what can be fixed safely, and report it'],
      ['--probe', 'Try what Iris relies on with your Claude Code and a scripted model; free and offline'],
    ],
    examples: [
      ['doctor', 'Node, Claude Code, configuration, store, port'],
      ['doctor --fix', 'closes files to others, removes what a dead daemon left'],
      ['doctor --probe', 'after an update of Claude Code'],
    ],
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    name: 'start',
    group: 'Daemon',
    summary: 'Run the daemon',
    options: [
      ['--foreground', 'In this terminal, until Ctrl-C (default)'],
      ['--background', 'In the background; does nothing if one runs'],
      ['--cluster', 'Only if the server that joins this host with others answers'],
    ],
    examples: [
      ['start --background', 'and come back to the prompt'],
      ['start', 'see its log here'],
    ],
    load: async () => (await import('../commands/start.ts')).start,
  },
  {
    name: 'stop',
    group: 'Daemon',
    summary: 'Stop the daemon, or with --tree one message and all that it caused',
    options: [['--tree <turn>', 'The id of a turn, or its first characters']],
    examples: [
      ['stop', 'what is being answered may end first'],
      ['stop --tree 3f2a9c01', 'end a message and all it made others do'],
    ],
    load: async () => (await import('../commands/stop.ts')).stop,
  },
  {
    name: 'restart',
    group: 'Daemon',
    summary: 'Stop the daemon if it runs, and start it in the background',
    examples: [['restart', 'what was accepted goes on afterwards']],
    load: async () => (await import('../commands/restart.ts')).restart,
  },
  {
    name: 'backup',
    group: 'Daemon',
    summary: 'Write the store, the transcripts and the configuration into one file; the daemon may run',
    words: [['<file>', 'A file that does not exist yet']],
    options: [['--with-tokens', 'Also the credentials, and files of the home that Iris does not know']],
    examples: [
      ['backup iris.backup', 'everything as it is at one moment'],
      ['backup iris.backup --with-tokens', 'to move to another machine'],
    ],
    load: async () => (await import('../commands/backup.ts')).backup,
  },
  {
    name: 'restore',
    group: 'Daemon',
    summary: 'Make the home of a backup; never overwrites one',
    words: [['<file>', 'A file that "iris backup" has made']],
    examples: [['restore iris.backup', 'all of it or nothing, where IRIS_HOME says']],
    load: async () => (await import('../commands/backup.ts')).restore,
  },
  {
    name: 'adopt',
    group: 'Daemon',
    summary: 'Show what ran or waited in a copied or restored home, and decide what becomes of it',
    options: [
      ['--deliver', 'This home delivers it'],
      ['--cancel', 'It is cancelled in this home'],
    ],
    examples: [
      ['adopt', 'shows it and, at a terminal, asks you'],
      ['adopt --cancel', 'when the original goes on with it'],
      ['adopt --deliver', 'when nobody else does'],
    ],
    load: async () => (await import('../commands/adopt.ts')).adopt,
  },
  {
    name: 'dashboard',
    group: 'Daemon',
    summary: 'Open the dashboard in your browser; starts the daemon if none runs',
    options: [
      ['--no-open', 'Only print the link'],
      ['--public', 'A link for settings.publicUrl, for your telephone: works once, within ten minutes'],
    ],
    examples: [
      ['dashboard', 'the link works once, within a minute'],
      ['dashboard --no-open', 'for a browser that you open yourself'],
      ['dashboard --public', 'for the browser of another machine'],
    ],
    load: async () => (await import('../commands/dashboard.ts')).dashboard,
  },
  {
    name: 'login',
    group: 'Daemon',
    summary: 'Make a link with which a person may chat with teams in a browser, and do nothing else',
    options: [
      ['--name <name>', 'The name of the person, in lower case'],
      ['--role <role>', 'The role with whose rights teams answer this person. Default chat_bot'],
      ['--public', 'A link for settings.publicUrl: works once, within ten minutes'],
    ],
    examples: [
      ['login --name ana --public', 'she chats with the rights of chat_bot, and sees only her own conversations'],
      ['login --name ana --role os_agent', 'with all rights of the teams, in a browser on this machine'],
    ],
    load: async () => (await import('../commands/dashboard.ts')).login,
  },
  callCommand({
    name: 'logins list',
    group: 'Daemon',
    operation: 'list_logins',
    examples: [['logins list', 'since when, from where, and when it was last used']],
    lines: async () => (await import('../../../features/operator/commands/logins.ts')).loginLines,
  }),
  callCommand({
    name: 'logins revoke',
    group: 'Daemon',
    operation: 'revoke_login',
    places: { loginId: '<id>' },
    examples: [
      ['logins revoke 3f2a9c01', 'that browser is signed out at once'],
      ['logins revoke all', 'every browser, this machine included'],
    ],
    lines: async () => (await import('../../../features/operator/commands/logins.ts')).revokedLines,
  }),
  {
    name: 'mcp',
    group: 'Daemon',
    summary: 'Serve MCP on stdio, as the team of this directory; starts the daemon if none runs',
    examples: [['mcp', 'for: claude mcp add iris -- iris mcp']],
    noJson: 'stdout carries the protocol, MCP, which is JSON itself.',
    load: async () => (await import('../commands/mcp.ts')).mcp,
  },
  {
    name: 'token',
    group: 'Daemon',
    summary: 'Print the bearer token of all programs that use MCP or the API over HTTP',
    examples: [['token', 'see docs/guide/api.md']],
    load: async () => (await import('../commands/token.ts')).token,
  },
  {
    name: 'token create',
    group: 'Daemon',
    operation: 'create_token',
    places: { program: '<name>' },
    examples: [
      ['token create github --teams backend --role ci --expires 90d', 'asks one team, with the rights of a role'],
      ['token create ci --teams backend --callbacks ci', 'its messages may name a callback of config.yaml'],
      ['token create phone --teams backend,web --role chat_bot --public', 'counts at settings.publicUrl alone'],
    ],
    load: async () => (await import('../../../features/tokens/commands/tokens.ts')).createToken,
  },
  callCommand({
    name: 'token list',
    group: 'Daemon',
    operation: 'list_tokens',
    examples: [['token list', 'what each may do, until when, and when it was last used']],
    lines: async () => (await import('../../../features/tokens/commands/tokens.ts')).tokenLines,
  }),
  {
    name: 'token rotate',
    group: 'Daemon',
    operation: 'rotate_token',
    places: { program: '<name>' },
    examples: [
      ['token rotate github', 'both count for 24 hours'],
      ['token rotate github --now', 'the earlier one ends at once'],
    ],
    load: async () => (await import('../../../features/tokens/commands/tokens.ts')).rotateToken,
  },
  callCommand({
    name: 'token revoke',
    group: 'Daemon',
    operation: 'revoke_token',
    places: { program: '<name>' },
    examples: [['token revoke github', 'all its tokens end, and its open streams']],
    lines: async () => (await import('../../../features/tokens/commands/tokens.ts')).revokedLines,
  }),
  {
    name: 'completion',
    group: 'Daemon',
    summary: 'Print the script that completes commands, options and teams in your shell',
    words: [['[shell]', 'bash, zsh or fish. Default: yours']],
    examples: [['completion bash', 'for: eval "$(iris completion bash)" in ~/.bashrc']],
    load: async () => (await import('../commands/completion.ts')).completion,
  },
  {
    name: 'demo',
    group: 'Daemon',
    summary: 'Let one sample project ask another, with the real Claude Code and a scripted model',
    options: [
      ['--live', 'Use your own login and the real model (costs tokens)'],
      ['--channels', 'Play a chat in Telegram instead, against a double of it'],
      ['--insight', 'Show the Insight page for an invented week instead, until Ctrl-C'],
    ],
    examples: [
      ['demo', 'offline and free'],
      ['demo --channels', 'a stranger writes to a bot, is let in, and asks a team'],
      ['demo --insight', 'what Iris finds in a week of messages'],
    ],
    load: async () => (await import('../commands/demo.ts')).demo,
  },
]
