import { Link } from '@tanstack/react-router'
import { useOperation } from '../../../shared/api/use-operation.ts'
import { pairTitle } from '../../../shared/format/asker.ts'
import { useOpened } from '../../../shared/inbox/use-opened.ts'
import { AgentText } from '../../../shared/text/agent-text.tsx'
import { IconButton } from '../../../shared/ui/button.tsx'
import { Icon } from '../../../shared/ui/icon.tsx'
import type { Row } from '../retrying.ts'
import { texts } from './texts.ts'

/** The newest message of a conversation and its answer, beside the list; the focus stays in the list. */
export function PeekPanel({ session, onClose }: { readonly session: Row['session']; readonly onClose: () => void }) {
  const { sessionId } = session
  const { data } = useOperation('session_turns', { sessionId, limit: 1 })
  useOpened(sessionId)
  const turn = data?.turns.at(-1)
  return (
    <aside aria-label={texts.peek} className="border-line bg-panel flex flex-col gap-2 rounded-lg border p-3">
      <div className="flex items-center justify-between gap-2">
        <h2 className="min-w-0 font-semibold wrap-anywhere">{pairTitle(session)}</h2>
        <IconButton label={texts.closePeek} onClick={onClose}>
          <Icon name="close" className="size-4" />
        </IconButton>
      </div>
      {turn && (
        <div className="flex max-h-[60vh] flex-col gap-2 overflow-y-auto" dir="auto">
          <p className="text-muted whitespace-pre-wrap wrap-anywhere">{turn.message}</p>
          {turn.text !== undefined && <AgentText text={turn.text} />}
        </div>
      )}
      <Link to="/conversations/$sessionId" params={{ sessionId }} className="text-accent underline">
        {texts.openConversation}
      </Link>
    </aside>
  )
}
