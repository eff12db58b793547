import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import type { CommandContext, CommandInput, CommandOutput } from '../../../app/cli/context.ts'
import { makeFirstConfig } from '../../../app/cli/first-config.ts'
import { refuseInsideAgent } from '../../../app/cli/inside-agent.ts'
import { choose } from '../../../app/cli/prompt.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { withPath } from '../../../base/lib/replace-file.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { readConfigText } from '../../../platform/config/config-text.ts'
import { homePaths, irisHome } from '../../../platform/config/home.ts'
import { configOf, loadConfig } from '../../../platform/config/load.ts'
import { insistOnNewTrouble } from '../../../platform/config/new-trouble.ts'
import { ConfigError, ProblemList } from '../../../platform/config/problem.ts'
import { replaceConfig } from '../../../platform/config/replace-config.ts'
import { sayValid } from './config.ts'

/**
 * Opens a copy of config.yaml in the person's editor until the copy has no errors or the person gives up. Only a copy
 * without errors replaces config.yaml; one with errors is kept next to it.
 */
export async function editConfig({ context, env, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'change its configuration')
  const home = irisHome(env)
  const { config: file } = homePaths(home)
  const screen = json ? context.stderr : context.stdout
  const editor = editorOf(context, screen)
  await makeFirstConfig(file)
  const problems = new ProblemList(file)
  const before = await readConfigText(file, undefined, problems)
  if (before === undefined || before === null) throw new ConfigError(problems.inFileOrder())
  const copy = `${file}.edit-${randomUUID().slice(0, 8)}.yaml`
  await writeFile(copy, before, { mode: 0o600, flag: 'wx' }).catch((error) => {
    throw withPath(error, copy)
  })
  try {
    const after = await editedText(context, { editor, copy, before, home, screen })
    if (after !== before && !(await replaceConfig(file, before, after))) {
      throw new IrisError('config_conflict', `${file} was changed while you edited it.`, `Your text is in ${copy}.`)
    }
    await rm(copy, { force: true })
  } catch (error) {
    // A text that nobody changed needs no copy.
    if ((await readConfigText(copy, undefined, new ProblemList(copy))) === before) await rm(copy, { force: true })
    throw error
  }
  sayValid(context, await loadConfig({ home, env }), json)
}

interface Editing {
  readonly editor: readonly string[]
  readonly copy: string
  readonly before: string
  readonly home: string
  readonly screen: CommandOutput
}

/** Returns the text once it has no mistakes. Throws `config_invalid` if the person gives up before that. */
async function editedText(context: CommandContext, editing: Editing): Promise<string> {
  const { editor, copy, before, home, screen } = editing
  const { config: file } = homePaths(home)
  // An emptied file would end every team.
  const options = { home, env: context.env, uid: process.getuid?.(), mustExist: before.trim() !== '' }
  const former = await configOf(before, options, new ProblemList(file))
  for (;;) {
    const end = await runEditor(context, [...editor, copy], screen)
    const problems = new ProblemList(file)
    const text = await readConfigText(copy, undefined, problems)
    if (text === before) return text
    const kept = `${file} stays as it was.${text === null ? '' : ` Your text is in ${copy}.`}`
    if (end !== undefined) throw new IrisError('invalid_input', `The editor ended with ${end}.`, kept)
    if (text === null) throw new IrisError('config_conflict', `The copy to edit, ${copy}, is gone.`, kept)
    const after = text === undefined ? undefined : await configOf(text, options, problems)
    insistOnNewTrouble(former, after, problems)
    if (text !== undefined && after !== undefined && problems.inFileOrder().length === 0) return text
    const error = new ConfigError(problems.inFileOrder())
    if (!context.isInteractive) throw withNote(error, kept)
    context.note(`error: ${error.message}\n${error.remedy}`)
    const again = [
      { value: 'again', label: 'Edit it again' },
      { value: 'leave', label: 'Keep the file as it is' },
    ] as const
    if ((await choose(context, 'The file has errors; Iris keeps using the previous configuration.', again)) !== 'again')
      throw withNote(error, kept)
  }
}

function withNote({ code, message, remedy }: IrisError, note: string): IrisError {
  return new IrisError(code, message, `${remedy}\n${note}`)
}

/** Editors that need a terminal: without one, they would wait for keys that nobody can press. */
const inTerminal = /(?:^|\/)(?:vi|vim|nvim|view|nano|pico|micro|helix|hx|emacs|ed|joe|mcedit)$/

/** The person's editor command, split into words. Throws `invalid_input` if it needs a terminal and there is none. */
function editorOf({ env, stdin }: CommandContext, screen: CommandOutput): readonly string[] {
  const words = wordsOf([env['VISUAL'], env['EDITOR']].find((one) => one?.trim()) ?? 'vi')
  if ((stdin.isTTY === true && screen.isTTY === true) || !inTerminal.test(words[0]!)) return words
  throw new IrisError(
    'invalid_input',
    `There is no terminal for the editor ${words[0]}.`,
    'Run this in a terminal, or change a single key: "iris config set <key> <value>".',
  )
}

/** Splits the command at blanks. A path with blanks must be in quotes. */
function wordsOf(editor: string): readonly string[] {
  return [...editor.matchAll(/'([^']+)'|"([^"]+)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain!,
  )
}

/**
 * Runs an editor without a shell; the editor draws on the stream that the answer does not use. Returns how the editor
 * failed, if it did. Like git, Iris then assumes that the person changed their mind.
 */
function runEditor(
  { env, stdin, stderr }: CommandContext,
  [program = '', ...args]: readonly string[],
  screen: CommandOutput,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: [stdin, screen, stderr].map(ownStream) })
    child.on('error', () => {
      reject(
        new IrisError('invalid_input', `The editor ${program} could not be started.`, 'Set EDITOR to your editor.'),
      )
    })
    child.on('exit', (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)))
  })
}

/** A child can share only a stream that has a descriptor. */
function ownStream({ fd }: CommandInput | CommandOutput): number | 'ignore' {
  return fd ?? 'ignore'
}
