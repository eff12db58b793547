import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { KeptTranscripts } from '../../claude/driver/kept-transcripts.ts'
import { TranscriptFiles } from '../../claude/transcript/transcript-files.ts'
import { homePaths } from '../../platform/config/home.ts'
import { LocalTree } from '../../platform/machine/local-tree.ts'

const maxLogged = 10_000

/** Logs one problem for each conversation. */
function keptOf(home: string, clock: Clock, log: Log): KeptTranscripts {
  const logged = new Set<string>()
  return new KeptTranscripts(new LocalTree(homePaths(home).transcripts), clock, (sessionId, problem) => {
    if (logged.has(sessionId) || logged.size === maxLogged) return
    logged.add(sessionId)
    log.warn(`a transcript of Claude Code is not used or not kept: ${problem}`, { sessionId })
  })
}

/** Claude Code's transcripts that Iris keeps, and those for people. */
export function openTranscripts(home: string, clock: Clock, log: Log) {
  const transcripts = new TranscriptFiles({
    directory: homePaths(home).streams,
    clock,
    onTrouble: ({ kind, path }) => log.warn(`a transcript for people is ${kind}`, { path }),
  })
  return { kept: keptOf(home, clock, log.for('transcripts')), transcripts }
}
