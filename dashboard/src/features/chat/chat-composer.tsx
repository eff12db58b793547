import { type FormEvent, type KeyboardEvent, useId } from 'react'
import { call } from '../../shared/api/operations.ts'
import { AttachButton, ChosenFiles, takesFiles } from '../../shared/message/opened/attach-field.tsx'
import { EnterSetting } from '../../shared/message/opened/enter-setting.tsx'
import { isForSending, isTouchKeyboard, useEnterDoes } from '../../shared/message/send-key.ts'
import { useSending } from '../../shared/message/use-sending.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { texts } from './texts.ts'
import type { Place } from './use-chat.ts'

/**
 * The field for a message. After a failure, sending it again counts as the same message, whether or not the first try
 * arrived.
 */
export function ChatComposer({ team, conversation }: Place) {
  const { draft, setDraft, files, send, state } = useSending(
    `iris-chat ${team} ${conversation}`,
    (outgoing, idempotencyKey) => call('viewer_send', { team, conversation, ...outgoing }, { idempotencyKey }),
  )
  const isSending = state.kind === 'sending'
  const [enterDoes] = useEnterDoes()
  const [field, hint] = [useId(), useId()]
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault()
    void send()
  }
  return (
    <form onSubmit={submit} {...takesFiles(files)} className="border-line flex shrink-0 flex-col gap-1 border-t p-3">
      <label htmlFor={field} className="sr-only">
        {texts.messageTo(team)}
      </label>
      <ChosenFiles files={files} />
      <div className="flex flex-wrap items-end justify-end gap-2">
        <textarea
          id={field}
          dir="auto"
          aria-describedby={hint}
          rows={2}
          value={draft}
          readOnly={isSending}
          placeholder={texts.messageTo(team)}
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={(event) => {
            if (isForSending(event, enterDoes, isTouchKeyboard())) submit(event)
          }}
          className="border-line bg-panel max-h-60 min-w-0 flex-1 basis-full resize-y sm:basis-48 rounded-md border px-3 py-2"
        />
        <AttachButton files={files} isDisabled={isSending} />
        <Button type="submit" look="primary" disabled={isSending || draft.trim() === ''}>
          <Icon name="send" className="size-4" /> {texts.send}
        </Button>
      </div>
      <p id={hint} className="text-muted text-xs">
        <EnterSetting />
      </p>
      {state.kind === 'failed' && (
        <p role="alert" className="text-bad text-xs wrap-anywhere">
          {texts.notSent(state.problem.message, state.problem.remedy)}
        </p>
      )}
    </form>
  )
}
