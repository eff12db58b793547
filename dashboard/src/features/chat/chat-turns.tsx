import { useEffect, useRef } from 'react'
import { useVerb } from '../../shared/api/use-operation.ts'
import { PendingQuestions } from '../../shared/questions/pending-question.tsx'
import { AgentText } from '../../shared/text/agent-text.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import { texts } from './texts.ts'
import { type ChatTurn, isOpen, useLiveText } from './use-chat.ts'

interface ChatTurnsProps {
  readonly turns: readonly ChatTurn[]
  readonly team: string
  readonly isOwner: boolean
}

/** A conversation, the newest turn at the end. For a reader at the end, the end stays in sight. */
export function ChatTurns({ turns, team, isOwner }: ChatTurnsProps) {
  const list = useRef<HTMLOListElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const element = list.current
    if (element === null) return undefined
    const stay = (): void => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight
    }
    const watch = new MutationObserver(stay)
    watch.observe(element, { childList: true, subtree: true, characterData: true })
    stay()
    return () => watch.disconnect()
  }, [])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
    <ol
      ref={list}
      tabIndex={0}
      aria-label={texts.messagesWith(team)}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 48
      }}
      className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-3"
    >
      {turns.length === 0 && (
        <li>
          <Empty title={texts.nothingWasSaid(team)} />
        </li>
      )}
      {turns.map((turn, index) => (
        <li key={turn.turnId} className="flex flex-col gap-2">
          <Message turn={turn} />
          <Answer turn={turn} ahead={turns.slice(0, index).filter(isOpen).length} team={team} isOwner={isOwner} />
        </li>
      ))}
    </ol>
  )
}

function Message({ turn: { message, attachments = [], isNewConversation } }: { readonly turn: ChatTurn }) {
  return (
    <>
      {isNewConversation && <p className="text-muted text-center text-xs">{texts.aNewConversation}</p>}
      <div className="bg-raised max-w-[85%] self-end rounded-lg px-3 py-2 wrap-anywhere">
        <p dir="auto" className="max-w-[72ch] whitespace-pre-wrap [unicode-bidi:plaintext]">
          {message}
        </p>
        {attachments.length > 0 && (
          <ul className="text-muted text-xs">
            {attachments.map(({ name }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name.
              <li key={at}>{name}</li>
            ))}
          </ul>
        )}
      </div>
    </>
  )
}

interface AnswerProps {
  readonly turn: ChatTurn
  /** How many open messages are ahead of this one. */
  readonly ahead: number
  readonly team: string
  readonly isOwner: boolean
}

function Answer({ turn, ahead, team, isOwner }: AnswerProps) {
  const live = useLiveText(turn.turnId)
  const text = isOpen(turn) ? (live ?? turn.text) : turn.text
  return (
    <article aria-label={texts.answerOf(team)} className="flex min-w-0 max-w-full flex-col gap-1">
      <Tools turn={turn} />
      {text !== undefined && text !== '' && <AgentText text={text} isLive={isOpen(turn)} />}
      {turn.isCut && <p className="text-muted text-xs">{texts.tooLong}</p>}
      {turn.status === 'completed' && !text && <p className="text-muted">{texts.noText}</p>}
      {turn.status in texts.endings && (
        <p className="text-muted">{texts.endings[turn.status as keyof typeof texts.endings]}</p>
      )}
      <Reports turn={turn} />
      {isOwner && turn.waitsForPermission !== undefined && <PendingQuestions turnId={turn.turnId} />}
      {isOpen(turn) && <Waiting turn={turn} ahead={ahead} team={team} isOwner={isOwner} />}
    </article>
  )
}

function Waiting({ turn: { turnId, status, waitsForPermission }, ahead, team, isOwner }: AnswerProps) {
  const { mutate, isPending } = useVerb('viewer_stop')
  const tell = useNotices()
  const what =
    waitsForPermission !== undefined
      ? texts.asked(isOwner, waitsForPermission)
      : status === 'queued'
        ? texts.before(ahead)
        : texts.isWorking(team)
  return (
    <p className="text-muted flex flex-wrap items-center gap-2">
      <span role="status">{what}</span>
      <Button
        disabled={isPending}
        onClick={() => mutate({ turnId }, { onError: ({ message }) => tell(message, { isTrouble: true }) })}
      >
        <Icon name="stop" className="size-4" /> {texts.stop}
      </Button>
    </p>
  )
}

/** What the agent said by itself after its answer, for example when a background command ended. */
function Reports({ turn: { reports } }: { readonly turn: ChatTurn }) {
  if (reports === undefined) return null
  return (
    <ul aria-label={texts.reportedLater} className="border-line border-l-2 pl-3">
      {reports.map(({ kind, text, at }) => (
        <li key={`${at} ${text}`}>
          <span className="text-muted text-xs">
            {kind === 'said' ? texts.reportedLater : texts.endedWithItsProcess}
          </span>
          {kind === 'said' ? <AgentText text={text} /> : <code className="block wrap-anywhere text-xs">{text}</code>}
        </li>
      ))}
    </ul>
  )
}

/** The tools that the agent used, folded once it has answered. */
function Tools({ turn: { tools, status } }: { readonly turn: ChatTurn }) {
  if (tools.length === 0) return null
  const isBusy = status === 'working'
  return (
    <details key={String(isBusy)} open={isBusy} className="text-muted text-xs">
      <summary className="cursor-pointer">{texts.tools(tools.length)}</summary>
      <ul className="pl-4">
        {tools.map(({ name, input, startedAt, endedAt, isError }, at) => (
          <li key={`${startedAt} ${at}`} className="wrap-anywhere">
            <strong>{name}</strong> {input}{' '}
            {isError ? texts.anError : endedAt === undefined && isBusy ? texts.running : ''}
          </li>
        ))}
      </ul>
    </details>
  )
}
