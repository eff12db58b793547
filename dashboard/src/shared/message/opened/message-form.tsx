import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { useOperation } from '../../api/use-operation.ts'
import { TeamTrouble } from '../../ui/broken-teams.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { fieldLook } from '../../ui/search-field.tsx'
import { texts as dialogTexts } from '../texts.ts'
import { useAsking } from '../use-asking.ts'
import { AttachButton, ChosenFiles, takesFiles } from './attach-field.tsx'
import { texts } from './texts.ts'

interface MessageDialogProps {
  /** The intended team; undefined if the person chooses it. */
  readonly team: string | undefined
  readonly onClose: () => void
}

/** The dialog in which a person writes to a team. */
export function MessageDialog({ team, onClose }: MessageDialogProps) {
  const { data } = useOperation('list_teams', {})
  const [chosen, setChosen] = useState(team)
  const [thread, setThread] = useState('')
  const to = chosen ?? data?.teams[0]?.name ?? ''
  return (
    <Dialog title={team === undefined ? dialogTexts.newConversation : dialogTexts.messageTo(team)} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap gap-3">
          <label className="flex flex-col gap-1">
            {texts.team}
            <select
              className={fieldLook}
              value={to}
              data-first={team === undefined || undefined}
              onChange={({ target }) => setChosen(target.value)}
            >
              {data?.teams.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label className="flex min-w-0 flex-1 flex-col gap-1">
            {texts.thread}
            <input
              className={fieldLook}
              value={thread}
              maxLength={100}
              placeholder={texts.main}
              onChange={({ target }) => setThread(target.value)}
            />
          </label>
        </div>
        <TeamTrouble team={to} />
        {to !== '' && (
          <Form
            key={`${to} ${thread}`}
            to={to}
            thread={thread.trim() || 'main'}
            isFirst={team !== undefined}
            onSent={onClose}
          />
        )}
      </div>
    </Dialog>
  )
}

interface FormProps {
  readonly to: string
  readonly thread: string
  readonly isFirst: boolean
  readonly onSent: () => void
}

function Form({ to, thread, isFirst, onSent }: FormProps) {
  const { draft, setDraft, files, send, state } = useAsking(to, thread)
  const navigate = useNavigate()
  const field = useId()
  const isSending = state.kind === 'sending'
  const submit = async (event: FormEvent | KeyboardEvent): Promise<void> => {
    event.preventDefault()
    const sent = await send()
    if (sent === undefined) return
    onSent()
    void navigate({ to: '/conversations/$sessionId', params: { sessionId: sent.sessionId ?? '' } })
  }
  return (
    <form onSubmit={(event) => void submit(event)} {...takesFiles(files)} className="flex flex-col gap-2">
      <label htmlFor={field}>{texts.messageField}</label>
      <textarea
        id={field}
        dir="auto"
        data-first={isFirst || undefined}
        rows={5}
        value={draft}
        readOnly={isSending}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit(event)
        }}
        className="border-line bg-page rounded-md border px-3 py-2"
      />
      <ChosenFiles files={files} />
      {state.kind === 'failed' && (
        <p role="alert" className="text-bad text-xs wrap-anywhere">
          {texts.itWasNotSent(state.problem.message, state.problem.remedy)}
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <AttachButton files={files} isDisabled={isSending} />
        <p className="text-muted flex-1 text-xs">
          {texts.sentAsYou} <span className="pointer-coarse:hidden">{texts.ctrlEnterSends}</span>
        </p>
        <Button type="submit" look="primary" disabled={isSending || draft.trim() === ''}>
          <Icon name="send" className="size-4" /> {isSending ? texts.sending : texts.send}
        </Button>
      </div>
    </form>
  )
}
