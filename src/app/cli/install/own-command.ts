import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { IrisError } from '../../../base/protocol/error.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { shellQuoted } from '../../../platform/hosts/shell-words.ts'
import type { CommandContext } from '../context.ts'
import { mainFile } from '../spawn-daemon.ts'
import { isProgram, onPath } from './on-path.ts'

/** Where npm and pnpm put packages that they run without installing; they empty these directories. */
const caches = /\/(_npx|dlx|dlx-[^/]*)\//

/**
 * The command that starts this Iris, for a registration: a checkout's launcher, or else the `iris` in PATH if that is
 * this one (it survives an update), or else Node with the main file. Throws `invalid_input` for an Iris in a cache.
 */
export function ownCommand(env: Environment, main = mainFile): readonly [program: string, ...args: string[]] {
  const launcher = join(dirname(dirname(main)), 'iris')
  if (main.endsWith('.ts') && isProgram(launcher)) return [launcher]
  if (caches.test(main)) {
    throw new IrisError(
      'invalid_input',
      `This copy of Iris is in a cache (${dirname(main)}) that may be emptied at any time.`,
      'Install the package globally first, as docs/guide/install.md says. Then run "iris install".',
    )
  }
  const inPath = onPath('iris', env).find((path) => realpathSync(path) === realpathSync(main))
  return inPath === undefined ? [process.execPath, main] : [inPath]
}

/** What a person types for this Iris: `iris`, or a checkout's launcher if PATH does not lead to this checkout. */
export function typedCommand(context: CommandContext, main = mainFile): string {
  const launcher = join(dirname(dirname(main)), 'iris')
  const own = main.endsWith('.ts') ? launcher : main
  const named = onPath('iris', context.env)[0]
  if (named !== undefined && realpathSync(named) === realpathSync(own)) return 'iris'
  if (own === main) return 'iris'
  return launcher === context.pathOf('iris') ? './iris' : launcher
}

/** How a shell calls this Iris from every directory. */
export function commandInShells(context: CommandContext): string {
  const typed = typedCommand(context)
  return typed === 'iris' ? typed : shellQuoted(context.pathOf(typed))
}
