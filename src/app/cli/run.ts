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
import { commandTable, daily, formerNames, refusalText, usualOf } from './table/table.ts'

/** Runs one command line; resolves with the exit code. */
export async function runCli(typed: readonly string[], context: CommandContext, daemon: DaemonCode): Promise<number> {
  const showsAll = isHelp(typed[0]) && typed.includes('--all')
  const { former, argv } = asNow(showsAll ? ['--help'] : asHelp(typed))
  let exitCode = 0
  try {
    if (argv[0] === '__complete') for (const word of await complete(argv.slice(1), context)) context.say(word)
    else if (argv.length === 0) {
      refuseUnreadable(irisHome(context.env))
      await (await import('../../views/health/commands/overview.ts')).overview(context)
    } else {
      refuseUnknownCommand(argv)
      if (former !== undefined && argv.some(isHelp)) context.say(former)
      const program = await createProgram(argv, { context, daemon, showsAll, exitWith: (code) => (exitCode = code) })
      await program.parseAsync(argv, { from: 'user' })
    }
    return exitCode
  } catch (error) {
    return report(context, error, argv)
  }
}

function isHelp(word = ''): boolean {
  return ['help', '--help', '-h'].includes(word)
}

/** `iris help tell` is `iris tell --help`, and `iris config help set` is `iris config set --help`. */
function asHelp([first = '', second, ...rest]: readonly string[]): readonly string[] {
  if (first === 'help') return [second ?? '', ...rest, '--help'].filter((word) => word !== '')
  const asksFamily = second === 'help' && commandTable.some(({ name }) => name.startsWith(`${first} `))
  if (asksFamily) return [first, ...rest, '--help']
  return [first, second, ...rest].filter((word) => word !== undefined)
}

/** The words with the command's present name; `former`: a sentence about the former name, if that was typed. */
function asNow(typed: readonly string[]): { readonly argv: readonly string[]; readonly former?: string } {
  // For programs, `iris --json` is the status; for people, `iris` alone is the overview.
  if (typed.join() === '--json') return { argv: ['status', '--json'] }
  for (const count of [2, 1]) {
    const name = typed.slice(0, count).join(' ')
    const now = Object.hasOwn(formerNames, name) ? formerNames[name]! : undefined
    if (now === undefined) continue
    return { argv: [...now.split(' '), ...typed.slice(count)], former: `"iris ${name}" is now "iris ${now}".\n` }
  }
  return { argv: withDefault(typed) }
}

/** Adds the default second word of a family: `iris teams` lists the teams, `iris config` shows the configuration. */
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

/** What similar commands are called in other tools. */
const elsewhere: Readonly<Record<string, string>> = { ls: 'teams', list: 'teams', ps: 'status' }

/**
 * Runs before commander does, because commander answers `nonsense --help` with the general help, and suggests commands
 * that delete.
 */
function refuseUnknownCommand(argv: readonly string[]): void {
  const [first = '', second = '-'] = argv
  const firstWords = commandTable.map(({ name }) => name.split(' ')[0]!)
  if (first.startsWith('-')) return
  if (!firstWords.includes(first)) {
    const ofDay = daily.flatMap(([, words]) => words)
    const meant = elsewhere[first] ?? nearest(first, [...ofDay, ...firstWords, ...Object.keys(formerNames)])
    const now = formerNames[meant ?? ''] ?? meant
    throw unknownCommand(first, now, now)
  }
  const family = commandTable.filter(({ name }) => name.startsWith(`${first} `))
  const own = commandTable.find(({ name }) => name === first)
  const takesWords = family.length === 0 || own?.places !== undefined || own?.words !== undefined
  if (second.startsWith('-') || takesWords || family.some(({ name }) => name === `${first} ${second}`)) return
  const meant = nearest(
    second,
    family.map(({ name }) => name.split(' ')[1]!),
  )
  throw unknownCommand(`${first} ${second}`, meant, meant === undefined ? undefined : `${first} ${meant}`)
}

/** Suggests `meant`, the word for the command `name`, unless that command deletes or ends something. */
function unknownCommand(typed: string, meant: string | undefined, name: string | undefined): IrisError {
  const { destructive } = commandTable.find((spec) => spec.name === name) ?? {}
  const [family] = typed.split(' ')
  const help = typed === family ? 'iris --help' : `iris ${family} --help`
  const remedy = meant === undefined || destructive ? `Run "${help}" to see all commands.` : `Did you mean ${meant}?`
  return new IrisError('invalid_input', `There is no command "${typed}".`, remedy)
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
  const name = commandTable.findLast((spec) => `${argv.join(' ')} `.startsWith(`${spec.name} `))?.name
  const usage = ['iris', ...(name === undefined ? [] : [name]), '--help'].join(' ')
  const option = /^unknown option '(.*)'$/.exec(what)?.[1]
  const remedy =
    (option === undefined ? undefined : replacedOption(option)) ??
    suggestion?.replace(/^\((.*)\)$/, '$1') ??
    `Run "${usage}" to see how it is used.`
  return report(context, new IrisError('invalid_input', what.charAt(0).toUpperCase() + what.slice(1), remedy), argv)
}
