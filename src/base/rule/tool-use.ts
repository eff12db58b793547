import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { editingTools, readingTools } from './rule.ts'

/** A tool that is about to run, with the input from the model. */
export interface ToolUse {
  readonly toolName: string
  readonly input: unknown
}

/** Where the tool would run. `project` and `home` are real paths, and the bases of path rules. */
export interface Place {
  readonly project: string
  readonly home: string
  /** The directory with the files that came with the conversation's messages, a real path. */
  readonly attachments?: string | undefined
  /** Resolves links on another machine; undefined if the result is unknown. Absent for this machine. */
  readonly links?: (path: string) => string | undefined
}

/** The string under this key of the input; undefined for anything else. */
export function inputText({ input }: ToolUse, key: string): string | undefined {
  const value = typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[key] : undefined
  return typeof value === 'string' ? value : undefined
}

/**
 * The absolute path that a file tool uses; the project for a reading tool without a path. Undefined for other tools and
 * invalid paths.
 */
export function pathOf(use: ToolUse, { project, home }: Place): string | undefined {
  const isReading = readingTools.includes(use.toolName)
  if (!isReading && !editingTools.includes(use.toolName)) return undefined
  const given = inputText(use, 'file_path') ?? inputText(use, 'notebook_path') ?? inputText(use, 'path')
  if (given === undefined) return isReading ? project : undefined
  if (given.includes('\0')) return undefined
  return given === '~' || given.startsWith('~/') ? join(home, given.slice(1)) : resolve(project, given)
}

/** The most links that Linux follows in a path. */
const maxLinks = 40

/**
 * The path with all links resolved. If its end does not exist yet, even behind a link, the rest is resolved and the end
 * is appended. Undefined if the path cannot be resolved.
 */
export function realPathOf(path: string, links = 0): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || links > maxLinks || parent === path) return undefined
    const real = realPathOf(parent, links + 1)
    if (real === undefined) return undefined
    const target = linkTarget(path)
    return target === undefined ? join(real, basename(path)) : realPathOf(resolve(real, target), links + 1)
  }
}

/** The same, on the machine where the tool would run. */
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

/** `path` relative to `base`; '' for the base itself, undefined outside of it. */
export function below(base: string, path: string): string | undefined {
  const way = relative(base, path)
  return way === '..' || way.startsWith('../') || isAbsolute(way) ? undefined : way
}
