import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { EarlyDialog, useLatePart } from '../ui/early-dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { draftTo, keepDraft, keptDraft } from './draft.ts'
import { texts } from './texts.ts'

const loadForm = () => import('./opened/message-form.tsx')

/** Opens the dialog, with this team chosen if one is given. */
type Compose = (team?: string) => void

const ComposeContext = createContext<Compose>(() => {})

export function useCompose(): Compose {
  return useContext(ComposeContext)
}

/** One dialog for the whole page, in which a person writes to a team. */
export function MessageDialogProvider({ children }: { readonly children: ReactNode }) {
  const [asked, setAsked] = useState<{ readonly team: string | undefined }>()
  const { part, error } = useLatePart(loadForm, asked !== undefined)
  // Always the same function: a new one would render every part that can open the dialog again.
  const compose = useCallback((team?: string) => setAsked({ team }), [])
  const close = (): void => setAsked(undefined)
  return (
    <ComposeContext value={compose}>
      {children}
      {asked &&
        (part ? (
          <part.MessageDialog team={asked.team} onClose={close} />
        ) : (
          <EarlyDialog
            title={asked.team === undefined ? texts.newConversation : texts.messageTo(asked.team)}
            error={error}
            onClose={close}
          >
            {asked.team !== undefined && <EarlyField to={asked.team} />}
          </EarlyDialog>
        ))}
    </ComposeContext>
  )
}

/** The field while the dialog is loading. What is typed into it is a draft, which the loaded dialog shows. */
function EarlyField({ to }: { readonly to: string }) {
  const place = draftTo(to, 'main')
  return (
    <textarea
      data-first
      aria-label={texts.messageTo(to)}
      defaultValue={keptDraft(place).text}
      onChange={({ target }) => keepDraft(place, { text: target.value, key: undefined })}
      className="border-line bg-page w-full rounded-md border px-3 py-2"
    />
  )
}

/** A button that opens the dialog: for one team, or for whichever the person chooses. */
export function MessageButton({
  team,
  look = 'plain',
}: {
  readonly team?: string
  readonly look?: 'plain' | 'primary'
}) {
  const compose = useCompose()
  return (
    <Button look={look} onClick={() => compose(team)}>
      {team === undefined && <Icon name="send" className="size-4" />}
      {team === undefined ? (
        texts.newConversation
      ) : (
        <>
          {texts.messageButton}
          <span className="sr-only"> {team}</span>
        </>
      )}
    </Button>
  )
}
