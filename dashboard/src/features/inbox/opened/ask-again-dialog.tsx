import { useState } from 'react'
import { external } from '../../../../../src/base/protocol/pair.ts'
import { call, type Problem } from '../../../shared/api/operations.ts'
import { askerName } from '../../../shared/format/asker.ts'
import { Button } from '../../../shared/ui/button.tsx'
import { Dialog } from '../../../shared/ui/dialog.tsx'
import { useNotices } from '../../../shared/ui/notices.tsx'
import type { Row } from '../retrying.ts'
import { texts } from './texts.ts'

export interface AskAgainProps {
  readonly session: Row['session']
  readonly item: Row['items'][number]
  readonly onSent: () => void
}

/** The new message, before it is sent. */
export function AskAgainDialog({
  session: { from, to, thread },
  item,
  onSent,
  onClose,
}: AskAgainProps & { readonly onClose: () => void }) {
  const [isSending, setSending] = useState(false)
  const tell = useNotices()
  const message = texts.askAgainMessage(item.toolName ?? '')
  const send = async (): Promise<void> => {
    setSending(true)
    const asker = from === external ? {} : { fromTeam: from }
    try {
      // The key is always the same, so two clicks, or clicks in two browsers, send only one message.
      const idempotencyKey = `ask-again ${item.subject}`
      await call('send_message', { ...asker, toTeam: to, thread, message, timeout: -1, idempotencyKey })
      onClose()
      onSent()
    } catch (error) {
      const { message: what, remedy } = error as Problem
      tell(`${what} ${remedy}`, { isTrouble: true })
    } finally {
      setSending(false)
    }
  }
  return (
    <Dialog title={texts.askAgainTitle} onClose={onClose}>
      <p className="text-muted">{texts.askAgainNote(askerName(from), to)}</p>
      <blockquote dir="auto" className="border-line my-3 border-l-2 pl-3">
        {message}
      </blockquote>
      <div className="flex justify-end">
        <Button data-first look="primary" disabled={isSending} onClick={() => void send()}>
          {isSending ? texts.sending : texts.sendMessage}
        </Button>
      </div>
    </Dialog>
  )
}
