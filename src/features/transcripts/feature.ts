import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { KeptTranscripts } from '../../claude/driver/kept-transcripts.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { Config } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import type { Machines } from '../../platform/machine/machine.ts'
import { type TurnTranscriptParts, transcript } from './handlers/turn-transcript.ts'
import { keepTranscripts } from './keep-transcripts.ts'

interface Needs extends Omit<TurnTranscriptParts, 'kept'> {
  readonly config: () => Config
  readonly events: Observable<PublishedEvent>
  readonly kept: TurnTranscriptParts['kept'] & Pick<KeptTranscripts, 'keepOf'>
  readonly machines: Machines
}

/** What an agent did in a turn, step by step; and Claude Code's record of each conversation, kept when Claude Code deletes its own. */
export const transcripts = feature('transcripts', (parts: Needs) => {
  const { config, events, kept, machines } = parts
  const keepingEnds = keepTranscripts(events, async (team, sessionId) => {
    const claude = workingTeam(config(), team) && machines.of(team).claude
    return claude !== undefined && (await kept.keepOf(claude, sessionId)) === 'kept'
  })
  return {
    gives: {},
    handlers: { turn_transcript: (input, call) => transcript(input, call, parts) },
    ended: keepingEnds,
  }
})
