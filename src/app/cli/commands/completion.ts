import { basename } from 'node:path'
import { IrisError } from '../../../base/protocol/error.ts'
import { completionScripts, howToLoad, type Shell } from '../completion/scripts.ts'
import type { Given } from '../table/spec.ts'

/** Prints the completion script of a shell; default: the one in $SHELL. */
export async function completion({ context, env, options, json }: Given): Promise<void> {
  const { shell: named = basename(env['SHELL'] ?? '') } = options as { shell?: string }
  const shell = Object.keys(completionScripts).find((each): each is Shell => each === named)
  if (shell === undefined) {
    const what = named === '' ? 'No shell was named.' : `There is no completion for ${named}.`
    throw new IrisError('invalid_input', what, `Shells: ${Object.keys(completionScripts).join(', ')}.`)
  }
  if (json) return context.sayJson({ shell, script: completionScripts[shell], load: howToLoad[shell] })
  context.stdout.write(completionScripts[shell])
  if (context.stdout.isTTY) context.note(`\nTo load it in every ${shell}:\n  ${howToLoad[shell]}`)
}
