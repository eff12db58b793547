import { Command, createOption, type Option } from 'commander'
import { IrisError } from '../../../base/protocol/error.ts'
import { irisVersion } from '../../../base/protocol/version.ts'
import { irisHome } from '../../../platform/config/home.ts'
import type { CommandContext, CommandOutput } from '../context.ts'
import type { DaemonCode } from '../daemon-code.ts'
import { refuseUnreadable } from '../file-trouble.ts'
import { offerInput } from './contract-options.ts'
import { offeredOperations } from './offered.ts'
import type { Offered } from './operations-offered.ts'
import { type CommandSpec, type Group, groups } from './spec.ts'
import { asTyped, commandTable, daily, families, refusalText } from './table.ts'

const footer = `
"iris <command> --help" shows examples. Configuration: $IRIS_HOME/config.yaml (~/.iris/config.yaml).`
const more = `
Try it, free and offline:  iris demo
All commands, by task:     iris help --all`

/** The width of the help text where no terminal limits it. */
const usualWidth = 80
/**
 * How many columns the descriptions next to the names of options or commands need. If there are fewer columns, the
 * descriptions continue below the names.
 */
const minForWords = 24

interface ProgramParts {
  readonly context: CommandContext
  readonly daemon: DaemonCode
  readonly exitWith: (code: number) => void
  /** Whether the help of `iris` shows every command, and not only the everyday ones. */
  readonly showsAll?: boolean
}

/** Builds the commands of the table. Only the one that `argv` names gets its operation's options; for help, all do. */
export async function createProgram(argv: readonly string[], parts: ProgramParts): Promise<Command> {
  const program = new Command('iris')
    .description('A durable switchboard for Claude Code: any project asks any other one.')
    .version(`iris ${irisVersion}`, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show this help')
    .helpCommand(false)
    .addHelpText('after', parts.showsAll ? footer : `${more}\n${footer}`)
    .exitOverride()
    .configureOutput(outputOf(parts.context))
    .configureHelp({ minWidthToWrap: minForWords, subcommandTerm: termOf })
  const [first = ''] = argv
  const offered = await offeredOperations()
  for (const spec of inOrder(parts.showsAll === true)) {
    const isNamed = spec.name.split(' ')[0] === first
    addCommand(program, spec, first.startsWith('-') || isNamed ? offered : undefined, parts)
  }
  return program
}

/** The commands by their groups. Unless all are shown, the everyday ones come first. */
function inOrder(showsAll: boolean): readonly CommandSpec[] {
  const byTask = groups.flatMap((group) => commandTable.filter((each) => each.group === group))
  if (showsAll) return byTask
  const ofDay = daily.flatMap(([, words]) => words)
  const place = ({ name }: CommandSpec): number =>
    (ofDay.indexOf(name.split(' ')[0]!) + ofDay.length + 1) % (ofDay.length + 1)
  return byTask.toSorted((a, b) => place(a) - place(b))
}

function addCommand(program: Command, spec: CommandSpec, offered: Offered | undefined, parts: ProgramParts): void {
  const { name, group, summary, places = {}, without = [], words = [], options = [], examples, noJson } = spec
  const command = nested(program, name, parts.showsAll ? group : undefined)
  const operation = spec.operation && offered?.[spec.operation]
  command.description(summary ?? operation?.title ?? '').helpOption('-h, --help', 'Show this help')
  const input = operation && offerInput(command, { operation, places, without, asTyped })
  for (const [word, description] of words) command.argument(word, description)
  for (const [flags, description] of options) command.addOption(optionOf(flags, description))
  if (noJson === undefined) command.option('--json', 'Print JSON')
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, does]) => `  $ iris ${line.padEnd(width)}  ${does}`.trimEnd())
  const more = noJson === undefined ? '' : `\n\nThere is no --json: ${noJson}`
  command.addHelpText('after', `\nExamples:\n${lines.join('\n')}${more}`)
  command.action(async (...typed: unknown[]) => {
    const given = input?.(typed) ?? {}
    const named = Object.fromEntries(command.registeredArguments.map((each, index) => [each.name(), typed[index]]))
    refuseEmpty(command, named)
    // The doctor reports that itself, together with whatever else is wrong.
    if (spec.name !== 'doctor') refuseUnreadable(irisHome(parts.context.env))
    const run = await spec.load()
    const all = { ...command.optsWithGlobals(), ...named }
    const code = await run({
      context: parts.context,
      env: parts.context.env,
      input: given,
      options: all,
      json: all['json'] === true,
      daemon: parts.daemon,
      refusalText,
    })
    if (typeof code === 'number') parts.exitWith(code)
  })
}

/**
 * Refuses empty arguments, which usually come from a shell variable that is not set. Without this check the command
 * would use the default, and so act on another conversation or under another name. Throws `invalid_input`. Empty
 * messages and values have errors of their own.
 */
function refuseEmpty(command: Command, named: Readonly<Record<string, unknown>>): void {
  const options = command.options.map((option) => [option.long ?? option.flags, command.opts()[option.attributeName()]])
  const words = command.registeredArguments
    .filter((argument) => !['message', 'value'].includes(argument.name()))
    .map((argument) => [`<${argument.name()}>`, named[argument.name()]])
  const empty = [...options, ...words].find(([, value]) => [value].flat().includes(''))
  if (empty === undefined) return
  const remedy = 'Is a variable of your shell not set? Write a value, or leave the option out.'
  throw new IrisError('invalid_input', `${empty[0]} is empty.`, remedy)
}

/**
 * `teams list` is `list` in the family `teams`; the list of commands shows the family. Without a group, only the
 * everyday ones are shown.
 */
function nested(program: Command, name: string, group: Group | undefined): Command {
  const [first = '', second] = name.split(' ')
  const shownIn = group ?? daily.find(([, words]) => words.includes(first))?.[0]
  const command =
    program.commands.find((each) => each.name() === first) ??
    program
      .command(first, { hidden: shownIn === undefined })
      .helpGroup(`${shownIn}:`)
      .description(families[first] ?? '')
  // Options after the second word belong to that command, not to the family.
  return second === undefined ? command : command.enablePositionalOptions().helpCommand(false).command(second)
}

/** An option with `...` may be given several times. Commander itself would also take the words that follow. */
function optionOf(flags: string, description: string): Option {
  if (!flags.includes('...')) return createOption(flags, description)
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]
  return createOption(flags.replace('...', ''), description).argParser(collect)
}

/** In lists of commands: the name and the arguments. Options are not mentioned, since every command has some. */
function termOf(command: Command): string {
  const words = command.registeredArguments.map((each) => {
    const word = each.variadic ? `${each.name()}...` : each.name()
    return each.required ? `<${word}>` : `[${word}]`
  })
  return [command.name(), ...words].join(' ')
}

function outputOf(context: CommandContext) {
  const widthOf = ({ isTTY, columns = usualWidth }: CommandOutput): number => (isTTY ? columns : usualWidth)
  return {
    outputError: () => {},
    writeOut: (text: string) => context.say(text.replace(/\n$/, '')),
    writeErr: (text: string) => {
      context.stderr.write(text)
    },
    getOutHelpWidth: () => widthOf(context.stdout),
    getErrHelpWidth: () => widthOf(context.stderr),
  }
}
