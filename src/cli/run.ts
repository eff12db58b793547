import { CommanderError } from 'commander'
import type { Environment } from '../config/home.ts'
import { IrisError } from '../protocol/error.ts'
import { createProgram } from './command/program.ts'
import type { DaemonCode } from './daemon-code.ts'
import { exitCodeOf } from './exit-code.ts'
import { note, say, sayJson } from './say.ts'

/** Runs one command line; resolves with the exit code. */
export async function runCli(argv: readonly string[], env: Environment, daemon: DaemonCode): Promise<number> {
  let exitCode = 0
  // Whoever read it has seen enough, such as `head`.
  process.stdout.on('error', () => process.exit(0))
  try {
    if (argv[0] === '__complete') for (const word of await complete(argv.slice(1), env)) say(word)
    else if (argv.length === 0) await (await import('./commands/overview.ts')).overview(env)
    else {
      const program = await createProgram(argv, { env, daemon, exitWith: (code) => (exitCode = code) })
      await program.parseAsync(argv, { from: 'user' })
    }
    return exitCode
  } catch (error) {
    return report(error, argv.includes('--json'))
  }
}

/** Asked by the scripts of `iris completion`. */
async function complete(words: readonly string[], env: Environment): Promise<readonly string[]> {
  return (await import('./completion/candidates.ts')).candidates(words, env)
}

/** `error: <what>` and what to do about it, on stderr; for programs besides as JSON on stdout. */
function report(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) return reportUsage(error, json)
  if (!(error instanceof IrisError)) {
    note(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return 1
  }
  if (json) sayJson({ error })
  note(`error: ${error.message}\n${error.remedy}`)
  return exitCodeOf(error.code)
}

function reportUsage({ code, exitCode, message }: CommanderError, json: boolean): number {
  if (exitCode === 0) return 0
  // A family of commands without one of them: its help is shown already.
  if (code === 'commander.help') return exitCodeOf('invalid_input')
  const [what = '', suggestion] = message.split('\n')
  const remedy = suggestion ?? 'Run "iris --help" to see what there is.'
  const error = new IrisError('invalid_input', what.replace(/^error: /, ''), remedy)
  return report(error, json)
}
