import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { call, Problem } from '../../shared/api/operations.ts'
import { AttachButton, ChosenFiles, takesFiles } from '../../shared/message/attach-field.tsx'
import { forgetDraft, keepDraft, keptDraft } from '../../shared/message/draft.ts'
import { useFiles } from '../../shared/message/use-files.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { texts } from './texts.ts'
import type { Place } from './use-chat.ts'

/** A message as it is written. Sent again after a failure it is the same message, whether or not the first try arrived. */
export function ChatComposer({ team, conversation }: Place) {
  const place = `iris-chat ${team} ${conversation}`
  const [draft, setDraft] = useState(() => keptDraft(place))
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const [field, hint] = [useId(), useId()]
  const change = (text: string): void => {
    setDraft({ text, key: undefined })
    keepDraft(place, { text, key: undefined })
    setProblem(undefined)
  }
  const files = useFiles(() => change(draft.text))
  const send = async (): Promise<void> => {
    if (isSending || draft.text.trim() === '') return
    const { text, key = crypto.randomUUID() } = draft
    setDraft({ text, key })
    keepDraft(place, { text, key: files.files.length === 0 ? key : undefined })
    setSending(true)
    const attachments = files.files.map(({ name, data }) => ({ name, data }))
    try {
      const own = { team, conversation, message: text, ...(attachments.length > 0 && { attachments }) }
      await call('viewer_send', own, { idempotencyKey: key })
      forgetDraft(place)
      files.clear()
      setDraft({ text: '', key: undefined })
      setProblem(undefined)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setProblem(error)
    } finally {
      setSending(false)
    }
  }
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
          aria-describedby={hint}
          rows={2}
          value={draft.text}
          readOnly={isSending}
          placeholder={texts.messageTo(team)}
          onChange={({ target }) => change(target.value)}
          onKeyDown={(event) => {
            // On a telephone the key makes a new line.
            const isForSending = matchMedia('(pointer: fine)').matches ? !event.shiftKey : event.ctrlKey
            if (event.key === 'Enter' && isForSending && !event.nativeEvent.isComposing) submit(event)
          }}
          className="border-line bg-panel max-h-60 min-w-0 flex-1 basis-48 resize-y rounded-md border px-3 py-2"
        />
        <AttachButton files={files} isDisabled={isSending} />
        <Button type="submit" look="primary" disabled={isSending || draft.text.trim() === ''}>
          <Icon name="send" className="size-4" /> {texts.send}
        </Button>
      </div>
      <p id={hint} className="text-muted hidden text-xs pointer-fine:block">
        {texts.keys}
      </p>
      {problem !== undefined && (
        <p role="alert" className="text-bad text-xs wrap-anywhere">
          {texts.notSent(problem.message, problem.remedy)}
        </p>
      )}
    </form>
  )
}
