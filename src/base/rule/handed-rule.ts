import type { Place } from './tool-use.ts'

/**
 * A rule as Iris passes it to the CLI. For Iris, a path with one leading slash is relative to the project. For the CLI
 * it is relative to the directory of the settings file, and rules from a pipe have none. So Iris makes the path
 * absolute.
 */
export function handedRule(text: string, { project }: Pick<Place, 'project'>): string {
  const [, tool, path] = /^(\w+)\((\/(?!\/)[^]*)\)$/.exec(text) ?? []
  return tool === undefined ? text : `${tool}(/${literalPath(project)}${path})`
}

/** A path escaped for a rule, so that it matches only itself. */
export function literalPath(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&').replace(/[\\()]/g, '\\$&')
}
