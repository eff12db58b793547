import type { Config } from './config.ts'
import type { ProblemList } from './problem.ts'

/**
 * Treats a directory that only the edited file makes unusable as a mistake of that file: whoever has just written such
 * a path probably mistyped it. `before`: the configuration before the edit; undefined if it had a mistake.
 */
export function insistOnNewTrouble(before: Config | undefined, after: Config | undefined, problems: ProblemList): void {
  const known = new Set(before?.unusable.map(({ what }) => what))
  for (const { key, what } of after?.unusable ?? []) if (!known.has(what)) problems.insistOn(key)
}
