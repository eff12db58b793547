import { Link } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useId } from 'react'
import { external } from '../../../../src/base/protocol/pair.ts'
import { AttachButton, ChosenFiles, takesFiles } from '../../shared/message/attach-field.tsx'
import { useAsking } from '../../shared/message/use-asking.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { StopButton } from './stop-button.tsx'
import { texts } from './texts.ts'
import { useLiveSession } from './use-live-session.ts'
import type { Conversation } from './use-session-turns.ts'

/** A field to say something to the team oneself: in one's own conversation with it, whoever else's this one is. */
export function Composer({ conversation }: { readonly conversation: Conversation }) {
  const { from, to, thread, isArchived, sessionId } = conversation
  const isOwn = from === external
  const { draft, setDraft, files, send, state } = useAsking(to, isOwn ? thread : 'main')
  const { runningTurnId } = useLiveSession(conversation)
  const field = useId()
  const hint = useId()
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault()
    void send()
  }
  const isSending = state.kind === 'sending'
  const sent = state.kind === 'sent' ? state.sent : undefined
  const elsewhere = sent?.sessionId === sessionId ? undefined : sent?.sessionId
  return (
    <form onSubmit={submit} {...takesFiles(files)} className="flex shrink-0 flex-col gap-1">
      <label htmlFor={field} className="font-medium">
        {texts.messageTo(to)}
      </label>
      <ChosenFiles files={files} />
      <div className="flex flex-wrap items-end justify-end gap-2">
        <textarea
          id={field}
          aria-describedby={hint}
          rows={2}
          value={draft}
          readOnly={isSending}
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
          }}
          className="border-line bg-panel max-h-60 min-w-0 flex-1 basis-full resize-y sm:basis-48 rounded-md border px-3 py-2"
        />
        <AttachButton files={files} isDisabled={isSending} />
        {runningTurnId !== undefined && <StopButton turnId={runningTurnId} />}
        <Button type="submit" look="primary" disabled={isSending || draft.trim() === ''}>
          <Icon name="send" className="size-4" />
          {texts.send}
        </Button>
      </div>
      <p id={hint} className="text-muted text-xs">
        {isOwn && !isArchived ? texts.sentAsYou : texts.sentAsYouElsewhere(to)}
      </p>
      <p role="status" className="text-xs sm:min-h-4">
        {isSending && texts.sending}
        {sent !== undefined && [texts.sent, ...(sent.changes ?? [])].join(' ')}{' '}
        {elsewhere !== undefined && (
          <Link to="/conversations/$sessionId" params={{ sessionId: elsewhere }} className="text-accent underline">
            {texts.goToYourConversation}
          </Link>
        )}
      </p>
      {state.kind === 'failed' && (
        <p role="alert" className="text-bad text-xs wrap-anywhere">
          {texts.itWasNotSent(state.problem.message, state.problem.remedy)}
        </p>
      )}
    </form>
  )
}
