import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectory } from '../../../base/lib/make-directory.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { type Environment, userHome } from '../../../platform/config/home.ts'
import { completionScript, loadingLine, type Shell, shells } from './scripts.ts'

/** A shell's startup file and the text that Iris adds to it. The file for fish contains nothing else. */
export interface ShellFile {
  readonly file: string
  /** The file's present content; empty if the file is missing. */
  readonly before: string
  /** Whether Iris has already added its part. */
  readonly isThere: boolean
}

function shellFile(shell: Shell, command: string, env: Environment): ShellFile {
  const file = pathOf(shell, env)
  const before = textOf(file)
  const wanted = partOf(shell, command)
  return { file, before, isThere: shell === 'fish' ? before === wanted : `\n${before}`.includes(`\n${wanted}`) }
}

/** Adds Iris's part to the file of the shell, once. */
export function addCompletion(shell: Shell, command: string, env: Environment): ShellFile {
  const found = shellFile(shell, command, env)
  const { file, before, isThere } = found
  if (isThere) return found
  makeDirectory(dirname(file))
  const wanted = partOf(shell, command)
  if (shell === 'fish') writeFileSync(file, wanted)
  else appendFileSync(file, before === '' || before.endsWith('\n') ? wanted : `\n${wanted}`)
  return found
}

/** Removes Iris's part from the files of all shells, unless `dryRun`. Returns the files that had it. */
export function removeCompletion(command: string, env: Environment, dryRun: boolean): readonly string[] {
  return shells.flatMap((shell) => {
    const { file, before, isThere } = shellFile(shell, command, env)
    if (!isThere) return []
    if (dryRun) return [file]
    if (shell === 'fish') rmSync(file)
    else writeFileSync(file, `\n${before}`.replaceAll(`\n${partOf(shell, command)}`, '\n').slice(1))
    return [file]
  })
}

function partOf(shell: Shell, command: string): string {
  return shell === 'fish' ? completionScript(shell, command) : `${loadingLine(shell, command)}\n`
}

function pathOf(shell: Shell, env: Environment): string {
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
