import { CommanderError } from 'commander'
import { nearest } from '../../base/lib/nearest.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { replacedOption } from '../../base/protocol/former-names.ts'
import { irisHome } from '../../platform/config/home.ts'
import type { CommandContext } from './context.ts'
import type { DaemonCode } from './daemon-code.ts'
import { exitCodeOf } from './exit-code.ts'
import { fileTrouble, refuseUnreadable } from './file-trouble.ts'
import { createProgram } from './table/program.ts'
import { commandTable, refusalText, usualOf } from './table/table.ts'

/** Runs one command line; resolves with the exit code. */
export async function runCli(typed: readonly string[], context: CommandContext, daemon: DaemonCode): Promise<number> {
  // For programs, `iris --json` is the status; for people, `iris` alone is the overview.
  const argv = typed.join() === '--json' ? ['status', '--json'] : withDefault(typed)
  let exitCode = 0
  try {
    if (argv[0] === '__complete') for (const word of await complete(argv.slice(1), context)) context.say(word)
    else if (argv.length === 0) {
      refuseUnreadable(irisHome(context.env))
      await (await import('../../views/health/commands/overview.ts')).overview(context)
    } else {
      refuseUnknownCommand(argv)
      const program = await createProgram(argv, { context, daemon, exitWith: (code) => (exitCode = code) })
      await program.parseAsync(argv, { from: 'user' })
    }
    return exitCode
  } catch (error) {
    return report(context, error, argv)
  }
}

/** Adds the default word of a family: `iris teams` lists them, `iris config` shows it. */
function withDefault([first = '', ...rest]: readonly string[]): readonly string[] {
  const [next = '--'] = rest
  const usual = next.startsWith('--') && next !== '--help' ? usualOf[first] : undefined
  if (first === '') return rest
  return usual === undefined ? [first, ...rest] : [first, usual, ...rest]
}

/** Candidates for the scripts of `iris completion`. */
async function complete(words: readonly string[], context: CommandContext): Promise<readonly string[]> {
  return (await import('./completion/candidates.ts')).candidates(words, context)
}

/** Runs before commander, which answers `help nonsense` and `nonsense --help` with the general help. */
function refuseUnknownCommand(argv: readonly string[]): void {
  const word = argv[0] === 'help' ? argv[1] : argv[0]
  const words = commandTable.map(({ name }) => name.split(' ')[0]!)
  if (word === undefined || word.startsWith('-') || word === 'help' || words.includes(word)) return
  const meant = nearest(word, words)
  const remedy = meant === undefined ? 'Run "iris --help" to see what there is.' : `Did you mean ${meant}?`
  throw new IrisError('invalid_input', `There is no command "${word}".`, remedy)
}

/** Prints `error: <what>` and the remedy on stderr, with --json also as JSON on stdout; returns the exit code. */
function report(context: CommandContext, error: unknown, argv: readonly string[]): number {
  if (error instanceof CommanderError) return reportUsage(context, error, argv)
  const refused = fileTrouble(error)
  if (refused !== undefined) return report(context, refused, argv)
  if (!(error instanceof IrisError)) {
    context.note(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return 1
  }
  if (argv.includes('--json')) context.sayJson({ error })
  context.note(refusalText(error))
  return exitCodeOf(error.code)
}

function reportUsage(
  context: CommandContext,
  { code, exitCode, message }: CommanderError,
  argv: readonly string[],
): number {
  if (exitCode === 0) return 0
  // A family of commands without a second word: commander has printed its help already.
  if (code === 'commander.help') return exitCodeOf('invalid_input')
  const [what = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const name = commandTable.find((spec) => `${argv.join(' ')} `.startsWith(`${spec.name} `))?.name
  const usage = ['iris', ...(name === undefined ? [] : [name]), '--help'].join(' ')
  const option = /^unknown option '(.*)'$/.exec(what)?.[1]
  const remedy =
    (option === undefined ? undefined : replacedOption(option)) ??
    suggestion?.replace(/^\((.*)\)$/, '$1') ??
    `Run "${usage}" to see how it is used.`
  return report(context, new IrisError('invalid_input', what.charAt(0).toUpperCase() + what.slice(1), remedy), argv)
}
