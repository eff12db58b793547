import { appendFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeDirectory } from '../../../base/lib/make-directory.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { type Environment, userHome } from '../../../platform/config/home.ts'
import { shellQuoted } from '../../../platform/hosts/shell-words.ts'
import { completionScript, loadingLine, type Shell, shells } from '../completion/scripts.ts'
import type { CommandContext } from '../context.ts'
import { refuseInsideAgent } from '../inside-agent.ts'
import { typedCommand } from '../install/own-command.ts'
import type { Given } from '../table/spec.ts'

/** Prints the completion script of a shell, or has the shell load it; default: the shell in $SHELL. */
export async function completion({ context, env, options, json }: Given): Promise<void> {
  const { shell: named = basename(env['SHELL'] ?? '') } = options as { shell?: string }
  const shell = shells.find((each) => each === named)
  if (shell === undefined) {
    const what = named === '' ? 'No shell was named.' : `There is no completion for ${named}.`
    throw new IrisError('invalid_input', what, `Shells: ${shells.join(', ')}.`)
  }
  const command = commandFor(context)
  if (options['install'] === true) return install(context, shell, command, json)
  const [script, load] = [completionScript(shell, command), `${command} completion ${shell} --install`]
  if (json) return context.sayJson({ shell, script, load })
  context.stdout.write(script)
  if (context.stdout.isTTY) context.note(`\nTo load it in every ${shell}: ${load}`)
}

/** How a shell calls this Iris from every directory. */
function commandFor(context: CommandContext): string {
  const typed = typedCommand(context)
  return typed === 'iris' ? typed : shellQuoted(context.pathOf(typed))
}

/** Writes what loads the script into the file that the shell reads, once. */
function install(context: CommandContext, shell: Shell, command: string, json: boolean): void {
  refuseInsideAgent(context.env, 'change the files of your shell')
  const file = fileOf(shell, context.env)
  const before = textOf(file)
  const wanted = shell === 'fish' ? completionScript(shell, command) : `${loadingLine(shell, command)}\n`
  const isThere = shell === 'fish' ? before === wanted : `\n${before}`.includes(`\n${wanted}`)
  if (!isThere) {
    makeDirectory(dirname(file))
    if (shell === 'fish') writeFileSync(file, wanted)
    else appendFileSync(file, before === '' || before.endsWith('\n') ? wanted : `\n${wanted}`)
  }
  if (json) return context.sayJson({ shell, file, changed: !isThere })
  context.say(
    isThere ? `${file} loads the completion already.` : `${file} loads the completion now; open a new ${shell}.`,
  )
}

function fileOf(shell: Shell, env: Environment): string {
  const home = userHome(env)
  if (shell === 'bash') return join(home, '.bashrc')
  if (shell === 'zsh') return join(env['ZDOTDIR'] || home, '.zshrc')
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'fish/completions/iris.fish')
}

function textOf(file: string): string {
  try {
    return plainFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
