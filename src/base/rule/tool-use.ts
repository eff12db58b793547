import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { editingTools, readingTools } from './rule.ts'

/** A tool that is about to run, with its input as the model gave it. */
export interface ToolUse {
  readonly toolName: string
  readonly input: unknown
}

/** Where it would run, both real paths: what rules for paths begin at. */
export interface Place {
  readonly project: string
  readonly home: string
  /** Of another machine: where a path leads there; undefined where that is not known. */
  readonly links?: (path: string) => string | undefined
}

/** Text under this key of the input. */
export function inputText({ input }: ToolUse, key: string): string | undefined {
  const value = typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[key] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The absolute path that a tool for files is about; those that search take the project where none is named. */
export function pathOf(use: ToolUse, { project, home }: Place): string | undefined {
  const isReading = readingTools.includes(use.toolName)
  if (!isReading && !editingTools.includes(use.toolName)) return undefined
  const given = inputText(use, 'file_path') ?? inputText(use, 'notebook_path') ?? inputText(use, 'path')
  if (given === undefined) return isReading ? project : undefined
  if (given.includes('\0')) return undefined
  return given === '~' || given.startsWith('~/') ? join(home, given.slice(1)) : resolve(project, given)
}

/** As many links as Linux follows. */
const mostLinks = 40

/**
 * Where a path leads, links resolved; what does not exist yet is put below what does, also where a link leads to it.
 * Undefined where that cannot be said.
 */
export function realPathOf(path: string, links = 0): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || links > mostLinks || parent === path) return undefined
    const real = realPathOf(parent, links + 1)
    if (real === undefined) return undefined
    const target = linkTarget(path)
    return target === undefined ? join(real, basename(path)) : realPathOf(resolve(real, target), links + 1)
  }
}

/** The same of the machine where the tool would run. */
export function realPathIn({ links = realPathOf }: Place, path: string): string | undefined {
  return links(path)
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** `path` as it is named below `base`; '' for the base itself, undefined outside. */
export function below(base: string, path: string): string | undefined {
  const way = relative(base, path)
  return way === '..' || way.startsWith('../') || isAbsolute(way) ? undefined : way
}
