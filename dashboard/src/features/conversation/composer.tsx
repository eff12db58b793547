import { Link } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useId } from 'react'
import { external } from '../../../../src/base/protocol/pair.ts'
import { useCompose } from '../../shared/message/message-dialog.tsx'
import { AttachButton, ChosenFiles, takesFiles } from '../../shared/message/opened/attach-field.tsx'
import { EnterSetting } from '../../shared/message/opened/enter-setting.tsx'
import { isForSending, isTouchKeyboard, useEnterDoes } from '../../shared/message/send-key.ts'
import { useAsking } from '../../shared/message/use-asking.ts'
import { TeamTrouble } from '../../shared/ui/broken-teams.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { StopButton } from './stop-button.tsx'
import { texts } from './texts.ts'
import { useLiveSession } from './use-live-session.ts'
import type { Conversation } from './use-session-turns.ts'

interface ComposerProps {
  readonly conversation: Conversation
}

/**
 * A field to continue your own conversation. In any other conversation, a button that writes to the team as yourself.
 */
export function Composer({ conversation }: ComposerProps) {
  return conversation.from === external ? (
    <Field conversation={conversation} />
  ) : (
    <AsYourself conversation={conversation} />
  )
}

/** A message from here would not be part of this conversation, so nothing may look as if it were. */
function AsYourself({ conversation }: ComposerProps) {
  const { to } = conversation
  const compose = useCompose()
  const { runningTurnId } = useLiveSession(conversation)
  return (
    <div className="flex shrink-0 flex-wrap justify-end gap-2">
      {runningTurnId !== undefined && <StopButton turnId={runningTurnId} />}
      <Button onClick={() => compose(to)}>
        <Icon name="send" className="size-4" />
        {texts.messageAsYourself(to)}
      </Button>
    </div>
  )
}

function Field({ conversation }: ComposerProps) {
  const { to, thread, sessionId } = conversation
  const { draft, setDraft, files, send, state } = useAsking(to, thread)
  const { runningTurnId } = useLiveSession(conversation)
  const [enterDoes] = useEnterDoes()
  const [field, hint] = [useId(), useId()]
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault()
    void send()
  }
  const isSending = state.kind === 'sending'
  const sent = state.kind === 'sent' ? state.sent : undefined
  const elsewhere = sent?.sessionId === sessionId ? undefined : sent?.sessionId
  return (
    <form onSubmit={submit} {...takesFiles(files)} className="flex shrink-0 flex-col gap-1">
      {/* As high with the button as without it, so that the text above does not move. */}
      <div className="flex min-h-8 items-center justify-between gap-2">
        <label htmlFor={field} className="font-medium">
          {texts.messageTo(to)}
        </label>
        {runningTurnId !== undefined && <StopButton turnId={runningTurnId} />}
      </div>
      <TeamTrouble team={to} />
      <ChosenFiles files={files} />
      <div className="flex flex-wrap items-end justify-end gap-2">
        <textarea
          id={field}
          dir="auto"
          aria-describedby={hint}
          rows={2}
          value={draft}
          readOnly={isSending}
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={(event) => {
            if (isForSending(event, enterDoes, isTouchKeyboard())) submit(event)
          }}
          className="border-line bg-panel max-h-60 min-w-0 flex-1 basis-full resize-y sm:basis-48 rounded-md border px-3 py-2"
        />
        <AttachButton files={files} isDisabled={isSending} />
        <Button type="submit" look="primary" disabled={isSending || draft.trim() === ''}>
          <Icon name="send" className="size-4" />
          {texts.send}
        </Button>
      </div>
      <p id={hint} className="text-muted text-xs">
        {texts.sentAsYou} <EnterSetting />
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
