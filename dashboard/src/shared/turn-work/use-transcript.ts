import { useOperation } from '../api/use-operation.ts'
import { useStaleAfterLines } from '../stream/use-stale-after-lines.ts'

/** The whole transcript of a turn, requested again when the stream says that there is more. */
export function useTranscript(turnId: string, isFull: boolean) {
  useStaleAfterLines(turnId, 'turn_transcript')
  return useOperation('turn_transcript', { turnId, ...(isFull && { full: true }) })
}
