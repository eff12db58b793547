import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { TimeSince } from '../ui/time-since.tsx'
import { texts } from './texts.ts'
import { TurnPart } from './turn-part.tsx'
import { useTranscript } from './use-transcript.ts'

/** The texts, thoughts and tools of a turn, step by step; live while it runs. */
export function TurnWork({ turnId, isOngoing }: { readonly turnId: string; readonly isOngoing: boolean }) {
  const [isFull, setFull] = useState(false)
  const query = useTranscript(turnId, isFull)
  return (
    <section aria-label={texts.workSection} className="border-line mt-2 border-t pt-2">
      <QueryView query={query} what={texts.loadedWork}>
        {({ parts, partsLeftOut, isCut, source, notices, deliveries }) => (
          <div className="flex flex-col gap-2">
            {notices.map(({ text, leftAt }) => (
              <p key={leftAt} className="text-muted wrap-anywhere whitespace-pre-wrap">
                {texts.aNoticeLeft}
                <TimeSince at={leftAt} />
                {texts.wentWithIt(text)}
              </p>
            ))}
            {deliveries > 1 && <p className="text-warn">{texts.itWasGivenTo(deliveries)}</p>}
            {partsLeftOut > 0 && <p className="text-muted">{texts.earlierStepsAreLeft(partsLeftOut)}</p>}
            {parts.length === 0 && (
              <p className="text-muted">{isOngoing ? texts.nothingYet : texts.nothingWasSaidOr}</p>
            )}
            {source === 'ledger' && parts.length > 0 && <p className="text-muted">{texts.claudeCodeHasDeleted}</p>}
            <ol className="flex flex-col gap-2">
              {parts.map((part, index) => (
                // Steps are only added at the end.
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
                {texts.showItWithoutCuts}
              </Button>
            )}
          </div>
        )}
      </QueryView>
    </section>
  )
}
