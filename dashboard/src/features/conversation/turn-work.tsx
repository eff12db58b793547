import { useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { TurnPart } from './turn-part.tsx'
import { useTranscript } from './use-transcript.ts'

/** What was said, thought and done in a turn, step by step; of one that runs as it happens. */
export function TurnWork({ turnId, isOngoing }: { readonly turnId: string; readonly isOngoing: boolean }) {
  const [isFull, setFull] = useState(false)
  const query = useTranscript(turnId, isFull)
  return (
    <section aria-label="The work" className="border-line mt-2 border-t pt-2">
      <QueryView query={query} what="the work">
        {({ parts, partsLeftOut, isCut, source, notices, deliveries }) => (
          <div className="flex flex-col gap-2">
            {notices.map(({ text, leftAt }) => (
              <p key={leftAt} className="text-muted wrap-anywhere whitespace-pre-wrap">
                A notice, left <TimeSince at={leftAt} />, went with it: {text}
              </p>
            ))}
            {deliveries > 1 && (
              <p className="text-warn">It was given to Claude Code {deliveries} times: its process had ended.</p>
            )}
            {partsLeftOut > 0 && <p className="text-muted">{partsLeftOut} earlier steps are left out.</p>}
            {parts.length === 0 && (
              <p className="text-muted">{isOngoing ? 'Nothing yet.' : 'Nothing was said or done.'}</p>
            )}
            {source === 'ledger' && parts.length > 0 && (
              <p className="text-muted">Claude Code has deleted its record of this turn: only the answer is left.</p>
            )}
            <ol className="flex flex-col gap-2">
              {parts.map((part, index) => (
                // Steps only come to the end.
                <li
                  key={index + partsLeftOut}
                  className={part.within === undefined ? '' : 'border-line border-l-2 pl-3'}
                >
                  <TurnPart part={part} isOngoing={isOngoing} />
                </li>
              ))}
            </ol>
            {isCut && !isFull && (
              <Button className="self-start" onClick={() => setFull(true)}>
                Show it without cuts
              </Button>
            )}
          </div>
        )}
      </QueryView>
    </section>
  )
}
