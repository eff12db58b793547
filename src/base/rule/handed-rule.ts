import type { Place } from './tool-use.ts'

/**
 * A rule as the CLI is to read it. Where a path begins with one slash Iris means the project; the CLI means the directory
 * of the settings that hold the rule, and what it is handed on a pipe stands in none.
 */
export function handedRule(text: string, { project }: Pick<Place, 'project'>): string {
  const [, tool, path] = /^(\w+)\((\/(?!\/)[^]*)\)$/.exec(text) ?? []
  return tool === undefined ? text : `${tool}(/${literalPath(project)}${path})`
}

/** A path in which nothing stands for anything else, as it is written in a rule. */
export function literalPath(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&').replace(/[\\()]/g, '\\$&')
}
