import { basename } from 'node:path'
import { IrisError } from '../../../base/protocol/error.ts'
import { completionScript, type Shell, shells } from '../completion/scripts.ts'
import { addCompletion } from '../completion/shell-file.ts'
import type { CommandContext } from '../context.ts'
import { refuseInsideAgent } from '../inside-agent.ts'
import { commandInShells } from '../install/own-command.ts'
import type { Given } from '../table/spec.ts'

/** Prints the completion script of a shell, or has the shell load it; default: the shell in $SHELL. */
export async function completion({ context, env, options, json }: Given): Promise<void> {
  const { shell: named = basename(env['SHELL'] ?? '') } = options as { shell?: string }
  const shell = shells.find((each) => each === named)
  if (shell === undefined) {
    const what = named === '' ? 'No shell was given, and $SHELL is not set.' : `There is no completion for ${named}.`
    throw new IrisError('invalid_input', what, `Shells: ${shells.join(', ')}.`)
  }
  const command = commandInShells(context)
  if (options['install'] === true) return install(context, shell, command, json)
  const [script, load] = [completionScript(shell, command), `${command} completion ${shell} --install`]
  if (json) return context.sayJson({ shell, script, load })
  context.stdout.write(script)
  if (context.stdout.isTTY) context.note(`\nTo load it in every ${shell}: ${load}`)
}

/** Adds the line that loads the script to the shell's startup file, once. */
function install(context: CommandContext, shell: Shell, command: string, json: boolean): void {
  refuseInsideAgent(context.env, 'change the files of your shell')
  const { file, isThere } = addCompletion(shell, command, context.env)
  if (json) return context.sayJson({ shell, file, changed: !isThere })
  context.say(
    isThere ? `${file} already loads the completion.` : `${file} now loads the completion. Open a new ${shell}.`,
  )
}
