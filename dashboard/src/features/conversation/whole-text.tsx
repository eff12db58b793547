import { useState } from 'react'
import { call } from '../../shared/api/operations.ts'
import { Button } from '../../shared/ui/button.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { texts } from './texts.ts'

interface WholeTextProps {
  readonly turnId: string
  readonly which: 'message' | 'answer'
  readonly text: string
  readonly isCut: boolean
  readonly className: string
}

/** A text as it was written; of a long one its beginning, until somebody wants all of it. */
export function WholeText({ turnId, which, text, isCut, className }: WholeTextProps) {
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
  }
  return (
    <div className={`${className} wrap-anywhere`}>
      <p dir="auto" className="max-w-[72ch] whitespace-pre-wrap [unicode-bidi:plaintext]">
        {whole ?? text}
        {isCut && whole === undefined && '…'}
      </p>
      {isCut && whole === undefined && (
        <Button look="quiet" className="text-accent underline" onClick={() => void load()}>
          {texts.showAllOfIt}
        </Button>
      )}
    </div>
  )
}
