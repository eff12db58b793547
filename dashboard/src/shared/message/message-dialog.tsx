import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { EarlyDialog, useLatePart } from '../ui/early-dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { texts } from './texts.ts'

const loadForm = () => import('./opened/message-form.tsx')

/** Opens the dialog, with this team chosen where one is meant. */
type Compose = (team?: string) => void

const ComposeContext = createContext<Compose>(() => {})

export function useCompose(): Compose {
  return useContext(ComposeContext)
}

/** One dialog for the whole page, in which a person writes to a team. */
export function MessageDialogProvider({ children }: { readonly children: ReactNode }) {
  const [asked, setAsked] = useState<{ readonly team: string | undefined }>()
  const { part, error } = useLatePart(loadForm, asked !== undefined)
  // The same for all its life: with a new one each part that can open it would be drawn again.
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
          />
        ))}
    </ComposeContext>
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
