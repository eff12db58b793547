import { basename } from 'node:path'
import { IrisError } from '../../../base/protocol/error.ts'
import { completionScripts, howToLoad, type Shell } from '../completion/scripts.ts'
import { note, sayJson } from '../say.ts'
import type { Given } from '../table/spec.ts'

/** Prints the completion script of a shell; default: the one in $SHELL. */
export async function completion({ env, options, json }: Given): Promise<void> {
  const { shell: named = basename(env['SHELL'] ?? '') } = options as { shell?: string }
  const shell = Object.keys(completionScripts).find((each): each is Shell => each === named)
  if (shell === undefined) {
    const what = named === '' ? 'No shell was named.' : `There is no completion for ${named}.`
    throw new IrisError('invalid_input', what, `Shells: ${Object.keys(completionScripts).join(', ')}.`)
  }
  if (json) return sayJson({ shell, script: completionScripts[shell], load: howToLoad[shell] })
  process.stdout.write(completionScripts[shell])
  if (process.stdout.isTTY) note(`\nTo load it in every ${shell}:\n  ${howToLoad[shell]}`)
}
