import { useEffect, useEffectEvent, useState } from 'react'
import { call } from '../../shared/api/operations.ts'
import { AgentText } from '../../shared/text/agent-text.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { texts } from './texts.ts'

interface WholeTextProps {
  readonly turnId: string
  readonly which: 'message' | 'answer'
  readonly text: string
  /** The text that was shown while the answer was being written: it stays, and the rest is loaded automatically. */
  readonly seen?: string | undefined
  /** Called when the whole text is shown, or cannot be loaded. */
  readonly onLoaded?: () => void
  readonly isCut: boolean
  readonly className: string
}

/**
 * A message as it was written, or an answer as Markdown. Of a long text, only the beginning is shown until the reader
 * wants all of it.
 */
export function WholeText({ turnId, which, text, seen, onLoaded, isCut, className }: WholeTextProps) {
  const [whole, setWhole] = useState<string>()
  const tell = useNotices()
  const load = async (): Promise<void> => {
    try {
      if (which === 'message') setWhole((await call('turn_transcript', { turnId })).message)
      else {
        const { response, partialResponse } = await call('message_status', { turnId })
        setWhole(response ?? partialResponse)
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      tell(texts.theRestNotLoaded(why), { isTrouble: true })
    }
    onLoaded?.()
  }
  const loadNow = useEffectEvent(() => void load())
  const isSeen = seen !== undefined
  useEffect(() => {
    if (isSeen) loadNow()
  }, [isSeen])
  const shown = whole ?? seen ?? text
  return (
    <div className={`${className} wrap-anywhere`}>
      {which === 'answer' ? (
        // A text that was cut off is rendered like one that is still being written.
        <AgentText text={shown} isLive={isCut && whole === undefined} />
      ) : (
        <p dir="auto" className="max-w-[72ch] whitespace-pre-wrap [unicode-bidi:plaintext]">
          {shown}
          {isCut && whole === undefined && '…'}
        </p>
      )}
      {isCut && whole === undefined && !isSeen && (
        <Button look="quiet" className="text-accent underline" onClick={() => void load()}>
          {texts.showAllOfIt}
        </Button>
      )}
    </div>
  )
}
