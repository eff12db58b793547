import { visible } from '../../../../src/base/lib/visible.ts'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import { texts } from './texts.ts'

/** What to check before a question is allowed; empty if there is nothing special. */
export function warningsOf({ risks, blockedPath, directory }: PermissionView): readonly string[] {
  // Claude Code names each file that is written to. Files in the project need no warning, because the agent works
  // there.
  const reaches = blockedPath === null || blockedPath.startsWith(`${directory}/`) ? [] : [blockedPath]
  return [...risks, ...reaches.map((path) => texts.reaches(visible(path)))]
}
