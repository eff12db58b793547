import { findTranscript } from '../../src/claude/driver/transcript.ts'
import { LocalTree } from '../../src/platform/machine/local-tree.ts'

/** Where Claude Code keeps a conversation; undefined where it has none. */
export async function transcriptPath(claudeDirectory: string, sessionId: string): Promise<string | undefined> {
  return (await findTranscript(new LocalTree(claudeDirectory), sessionId))?.path
}
