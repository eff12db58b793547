import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { isOfProject } from '../../../base/lib/project-tools.ts'
import type { Environment } from '../../../platform/config/home.ts'

/** Every program of this name in PATH, in order; skips `node_modules/.bin`, which holds the tools of some project. */
export function onPath(name: string, { PATH = '' }: Environment): readonly string[] {
  return programs(
    name,
    directories(PATH).filter((directory) => !isOfProject(directory)),
  )
}

/** The first program of this name that `onPath` skips. */
export function skippedOnPath(name: string, { PATH = '' }: Environment): string | undefined {
  return programs(name, directories(PATH).filter(isOfProject))[0]
}

function directories(path: string): readonly string[] {
  return path.split(delimiter).filter((directory) => isAbsolute(directory))
}

function programs(name: string, places: readonly string[]): readonly string[] {
  return places.map((directory) => join(directory, name)).filter(isProgram)
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
