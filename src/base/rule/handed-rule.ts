import { editingTools, parseRule, readingTools } from './rule.ts'
import type { Place } from './tool-use.ts'

/**
 * A rule as Iris passes it to the CLI. For Iris, a path with one leading slash is relative to the project. For the CLI
 * it is relative to the directory of the settings file, and rules that come over the pipe have no file. So Iris makes
 * the path absolute.
 */
export function handedRule(text: string, { project }: Pick<Place, 'project'>): string {
  const [, tool, path] = /^(\w+)\((\/(?!\/)[^]*)\)$/.exec(text) ?? []
  return tool === undefined ? text : `${tool}(/${literalPath(project)}${path})`
}

/**
 * The same for a deny rule. There are several if Iris interprets a rule more broadly than the CLI: a bare `Edit` or
 * `Read` denies all tools of its kind. There are none for paths of other tools: the CLI understands paths only in rules
 * for `Edit` and `Read`, so only Iris enforces such a rule.
 */
export function handedDenials(text: string, place: Pick<Place, 'project'>): readonly string[] {
  const { kind } = parseRule(text)
  const [tool = ''] = text.split('(', 1)
  if (kind === 'path') return tool === 'Edit' || tool === 'Read' ? [handedRule(text, place)] : []
  if (kind !== 'tool') return [text]
  return tool === 'Edit' ? editingTools : tool === 'Read' ? readingTools : [tool]
}

/** A path escaped for a rule, so that it matches only itself. */
export function literalPath(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&').replace(/[\\()]/g, '\\$&')
}
