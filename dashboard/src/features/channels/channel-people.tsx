import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Input } from '../../shared/api/operations.ts'
import { useVerb } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { fieldLook } from '../../shared/ui/search-field.tsx'
import type { Channel } from './channel.ts'
import { texts } from './texts.ts'

type Action = Input<'change_channel'>['action']

/** The people who may write in a channel, and those who ask to. A person who asks has a code from the chat. */
export function ChannelPeople({ channel: { name, allowed, pending } }: { readonly channel: Channel }) {
  const { change, isPending } = useChange(name)
  return (
    <div className="flex flex-col gap-2">
      {pending.length > 0 && (
        <div>
          <p>{texts.asking(pending.length)}</p>
          <ul className="list-disc pl-5">
            {pending.map(({ sender, name: who }) => (
              <li key={sender} className="wrap-anywhere">
                {who} ({sender})
              </li>
            ))}
          </ul>
          <p className="text-muted">{texts.howToApprove}</p>
        </div>
      )}
      <h3 className="font-medium">{texts.allowed}</h3>
      {allowed.length === 0 && <p className="text-muted">{texts.nobody}</p>}
      <ul>
        {allowed.map(({ sender, name: who, since }) => (
          <li key={sender} className="flex flex-wrap items-center gap-2 py-1">
            <span className="min-w-0 wrap-anywhere">
              {since === 0 ? texts.fromFile : who} ({sender})
            </span>
            {since !== 0 && (
              <Button disabled={isPending} onClick={() => change('remove', sender)}>
                {texts.remove}
                <span className="sr-only"> {sender}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <Field
          label={texts.codeOf(name)}
          placeholder={texts.codePlaceholder}
          verb={texts.approve}
          isDisabled={isPending}
          onGive={(code, done) => change('pair', code, done)}
        />
        <Field
          label={texts.idOf(name)}
          placeholder={texts.idPlaceholder}
          verb={texts.allow}
          isDisabled={isPending}
          onGive={(id, done) => change('allow', id, done)}
        />
      </div>
    </div>
  )
}

function useChange(channel: string) {
  const { mutate, isPending } = useVerb('change_channel')
  const queries = useQueryClient()
  const tell = useNotices()
  const change = (action: Action, who: string, done: () => void = () => {}): void =>
    mutate(
      { channel, action, who },
      {
        onSuccess: ({ name, isAllowed }) => {
          void queries.invalidateQueries({ queryKey: ['list_channels'] })
          tell(action === 'remove' && isAllowed ? texts.mayWriteStill(name) : texts.mayWrite(name, isAllowed))
          done()
        },
        onError: ({ message, remedy }) => tell(`${message} ${remedy}`, { isTrouble: true }),
      },
    )
  return { change, isPending }
}

interface FieldProps {
  readonly label: string
  readonly placeholder: string
  readonly verb: string
  readonly isDisabled: boolean
  /** Call `done` to empty the field. */
  readonly onGive: (text: string, done: () => void) => void
}

function Field({ label, placeholder, verb, isDisabled, onGive }: FieldProps) {
  const [text, setText] = useState('')
  const give = (event: FormEvent): void => {
    event.preventDefault()
    if (text.trim() !== '') onGive(text.trim(), () => setText(''))
  }
  return (
    <form onSubmit={give} className="flex min-w-0 gap-2">
      <input
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => setText(target.value)}
        className={`${fieldLook} min-w-0`}
      />
      <Button type="submit" disabled={isDisabled || text.trim() === ''}>
        {verb}
      </Button>
    </form>
  )
}
