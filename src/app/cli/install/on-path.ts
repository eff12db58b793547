import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Environment } from '../../../platform/config/home.ts'
import { isOfProject } from '../../../platform/machine/find-executable.ts'

/** Every program of this name in PATH, in order; skips `node_modules/.bin`, which holds the tools of some project. */
export function onPath(name: string, { PATH = '' }: Environment): readonly string[] {
  return PATH.split(delimiter)
    .filter((directory) => isAbsolute(directory) && !isOfProject(directory))
    .map((directory) => join(directory, name))
    .filter(isProgram)
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
