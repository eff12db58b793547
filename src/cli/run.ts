import { Command, CommanderError } from 'commander'
import type { Environment } from '../config/home.ts'
import { IrisError } from '../protocol/error.ts'
import { irisVersion } from '../protocol/version.ts'
import type { AnswerOptions } from './commands/answer-permission.ts'
import type { Diagnose } from './commands/doctor.ts'
import type { StartDaemon } from './commands/start.ts'
import { exitCodeOf } from './exit-code.ts'
import { note, say } from './say.ts'

const examples = `
Examples:
  $ iris demo                          see one project ask another, offline and free
  $ claude mcp add iris -- iris mcp    give the tools of Iris to Claude Code in this project
  $ iris status                        which teams are awake, and what they work on
  $ iris dashboard                     all of it in your browser
  $ iris permissions                   what agents ask, whether they may
  $ iris stop                          let what runs end, then end everything

Configuration: $IRIS_HOME/config.yaml (~/.iris/config.yaml).`

/** The daemon's code, which is loaded only for the commands that need it. */
export interface DaemonCode {
  readonly startDaemon: StartDaemon
  readonly diagnose: Diagnose
}

/** Runs one command line; resolves with the exit code. */
export async function runCli(argv: readonly string[], env: Environment, daemon: DaemonCode): Promise<number> {
  let exitCode = 0
  const program = commands(env, daemon, (code) => (exitCode = code))
  try {
    if (argv.length === 0) await overview(program, env)
    else await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    return report(error)
  }
}

function commands(env: Environment, { startDaemon, diagnose }: DaemonCode, exitWith: (code: number) => void): Command {
  const program = new Command('iris')
    .description('A durable switchboard for Claude Code: any project asks any other one.')
    .version(`iris ${irisVersion}`, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', examples)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  program
    .command('demo')
    .description('let one sample project ask another, with the real Claude Code and a scripted model')
    .option('--live', 'use your own login and the real model (costs tokens)')
    .action(async (options) => (await import('./commands/demo.ts')).demo(env, options))
  program
    .command('start')
    .description('run the daemon in the foreground')
    .action(async () => (await import('./commands/start.ts')).start(env, startDaemon))
  program
    .command('stop')
    .description('stop the daemon; with --tree only one message, and everything it caused')
    .option('--tree <turn>', 'the id of a turn, or its first characters')
    .action(async ({ tree }) => {
      if (tree === undefined) await (await import('./commands/stop.ts')).stop(env)
      else await (await import('./commands/stop-tree.ts')).stopTree(env, tree)
    })
  program
    .command('status')
    .description('show whether the daemon runs and how the teams stand')
    .option('--json', 'for programs')
    .action(async (options) => (await import('./commands/status.ts')).status(env, options))
  program
    .command('doctor')
    .description('check what Iris stands on, and say what to do where something is wrong')
    .option('--json', 'for programs')
    .action(async (options) => exitWith(await (await import('./commands/doctor.ts')).doctor(env, diagnose, options)))
  program
    .command('mcp')
    .description('be an MCP server on stdio, as the team of this directory; starts the daemon when none runs')
    .action(async () => (await import('./commands/mcp.ts')).mcp(env))
  program
    .command('dashboard')
    .description('open the dashboard in your browser; starts the daemon when none runs')
    .option('--no-open', 'only print the link')
    .option('--json', 'only print the link, for programs')
    .action(async (options) => (await import('./commands/dashboard.ts')).dashboard(env, options))
  answerCommands(program, env)
  auditCommands(program, env)
  program
    .command('token')
    .description('print the bearer token of programs, for MCP over HTTP')
    .action(async () => (await import('./commands/token.ts')).token(env))
  return program
}

async function answer(env: Environment, decision: 'allow' | 'deny', id: string, options: AnswerOptions): Promise<void> {
  return (await import('./commands/answer-permission.ts')).answerPermission(env, decision, id, options)
}

/** What agents ask, and how a person answers. */
function answerCommands(program: Command, env: Environment): void {
  program
    .command('permissions')
    .description('list the questions of agents whether a tool may run')
    .option('--all', 'also those that are decided')
    .option('--team <name>', 'only those of this team')
    .option('--json', 'for programs')
    .action(async (options) => (await import('./commands/permissions.ts')).permissions(env, options))
  program
    .command('allow <id>')
    .description('allow what an agent asks; the id, or its beginning, is shown by "iris permissions"')
    .option('--scope <scope>', 'once (default), session, pair or always')
    .option('--rule <rule>', 'with a longer scope: this rule instead of the exact one')
    .option('--input <json>', 'run the tool with this input instead')
    .action(async (id, options) => answer(env, 'allow', id, options))
  program
    .command('deny <id> [message...]')
    .description('deny what an agent asks; the message is told to it')
    .option('--scope <scope>', 'once (default), session, pair or always')
    .option('--rule <rule>', 'with a longer scope: this rule instead of the exact one')
    .action(async (id, words, options) => answer(env, 'deny', id, { ...options, message: words.join(' ') }))
}

function auditCommands(program: Command, env: Environment): void {
  const audit = program
    .command('audit')
    .description('list who did what, and what was refused')
    .option('--since <time>', 'only what was done since then, such as 2026-11-22 or 2026-11-22T10:00')
    .option('--team <name>', 'only what was done by or to this team')
    .option('--limit <count>', 'at most so many, the newest', '100')
    .option('--json', 'for programs')
    .action(async (options) => (await import('./commands/audit.ts')).audit(env, options))
  audit
    .command('verify')
    .description('check that nothing of the audit was changed or removed')
    .option('--head <hash>', 'a head that you noted: whether it is still there')
    .action(async (_options, command: Command) =>
      (await import('./commands/audit.ts')).verifyAudit(env, command.optsWithGlobals()),
    )
}

async function overview(program: Command, env: Environment): Promise<void> {
  program.outputHelp()
  const [{ irisHome }, { findDaemon }, { daemonLine }] = await Promise.all([
    import('../config/home.ts'),
    import('./find-daemon.ts'),
    import('./commands/status.ts'),
  ])
  const daemon = await findDaemon(irisHome(env))
  say(`\n${daemon ? daemonLine(daemon) : 'Iris is not running.'}`)
}

/** `error: <what>` and what to do about it, on stderr. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return reportUsage(error)
  if (!(error instanceof IrisError)) {
    note(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return 1
  }
  note(`error: ${error.message}\n${error.remedy}`)
  return exitCodeOf(error.code)
}

function reportUsage({ exitCode, message }: CommanderError): number {
  if (exitCode === 0) return 0
  const [what, suggestion] = message.split('\n')
  note(`${what}\n${suggestion ?? 'Run "iris --help" to see what there is.'}`)
  return exitCodeOf('invalid_input')
}
