import { useNavigate } from '@tanstack/react-router'
import { askerName, threadWords } from '../../shared/format/asker.ts'
import { Menu, MenuItem } from '../../shared/ui/menu.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import type { Session } from './changes.ts'
import type { Teams } from './session-figures.tsx'
import { texts } from './texts.ts'
import { isPossible, type Verb } from './verbs.ts'

interface SessionActionsProps {
  readonly session: Session
  readonly teams: Teams
  readonly onVerb: (verb: Verb, session: Session) => void
}

const verbs: readonly Verb[] = ['wake', 'sleep', 'cancel', 'reboot', 'fork', 'delete']

export function SessionActions({ session, teams, onVerb }: SessionActionsProps) {
  const navigate = useNavigate()
  const tell = useNotices()
  const { from, to, thread, sessionId } = session
  const command = teams.get(to)?.terminalCommand
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(`${command}${sessionId}`)
    tell(texts.copiedTakeOver)
  }
  return (
    <Menu label={texts.actionsForTo(askerName(from), to, thread === 'main' ? '' : texts.inThread(threadWords(thread)))}>
      <MenuItem onSelect={() => void navigate({ to: '/conversations/$sessionId', params: { sessionId } })}>
        {texts.openTheConversation}
      </MenuItem>
      {verbs
        .filter((verb) => isPossible(verb, session))
        .map((verb) => (
          <MenuItem key={verb} danger={verb === 'delete'} onSelect={() => onVerb(verb, session)}>
            {texts.verbs[verb]}
            {verb === 'wake' ? '' : '…'}
          </MenuItem>
        ))}
      {command !== undefined && session.status !== 'archived' && (
        <MenuItem onSelect={() => void copy()}>{texts.continueInTerminal}</MenuItem>
      )}
    </Menu>
  )
}
