import { standingOf } from '../../../../src/base/protocol/standing.ts'
import { askerName } from '../../shared/format/asker.ts'
import { cost } from '../../shared/format/figures.ts'
import { StandingBadge } from '../../shared/turns/standing-badge.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { Meter } from '../../shared/ui/meter.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { OtherConversations } from './other-conversations.tsx'
import { texts } from './texts.ts'
import { useLiveSession } from './use-live-session.ts'
import type { Conversation } from './use-session-turns.ts'

/** The state of the conversation, its usage and cost, and the way to open it in a terminal. */
export function ConversationHeader({ conversation }: { readonly conversation: Conversation }) {
  const session = useLiveSession(conversation)
  const { from, to, contextTokens, contextWindow, costUsd } = session
  return (
    <>
      {/* Wide enough for each of the usual words, so that the text beside it does not move. */}
      <span className="inline-block min-w-20">
        <StandingBadge session={session} />
      </span>
      {contextTokens !== undefined && contextWindow !== undefined && (
        <span className="inline-flex items-center gap-1.5">
          <span className="text-muted">{texts.context}</span>
          <Meter share={contextTokens / contextWindow} label={texts.contextOfTo(askerName(from), to)} />
        </span>
      )}
      {costUsd > 0 && (
        <span>
          <span className="text-muted">{texts.cost}</span> {cost(costUsd)}
        </span>
      )}
      {standingOf(session) !== 'archived' && conversation.terminalCommand !== undefined && (
        <TakeOver command={conversation.terminalCommand} />
      )}
      <OtherConversations conversation={conversation} />
    </>
  )
}

function TakeOver({ command }: { readonly command: string }) {
  const tell = useNotices()
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(command)
    tell(texts.copiedTakeOver)
  }
  return (
    <Button title={command} onClick={() => void copy()}>
      {texts.continueInTerminal}
    </Button>
  )
}
