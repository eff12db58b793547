import { useSearch } from '@tanstack/react-router'
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import { NotifySwitch } from '../../shared/notifications/notify-switch.tsx'
import { decidedText } from '../../shared/questions/decided-text.ts'
import { QuestionCard } from '../../shared/questions/question-card.tsx'
import { usePending } from '../../shared/questions/use-pending.ts'
import { useQuiet } from '../../shared/questions/use-quiet.ts'
import { useFrames } from '../../shared/stream/live-provider.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import { GrantedRules } from './granted-rules.tsx'
import { History } from './history.tsx'
import { Logins } from './logins.tsx'
import { texts } from './texts.ts'
import { cardOf, useInboxFocus } from './use-inbox-focus.ts'

/** The questions of agents that wait for a person, the oldest first. */
export function PermissionsScreen() {
  const query = usePending()
  const { data, dataUpdatedAt } = query
  const questions = useMemo(() => data?.permissions.toSorted((a, b) => a.askedAt - b.askedAt) ?? [], [data])
  const ids = useMemo(() => questions.map(({ permissionId }) => permissionId), [questions])
  const { isQuiet, quietNow, hush } = useQuiet()
  const list = useRef<HTMLDivElement>(null)
  useInboxFocus(list, ids, hush)
  useWantedQuestion(list, ids)
  const answeredHere = useAnsweredElsewhere()
  return (
    <Screen title={texts.permissions} actions={<NotifySwitch />}>
      <QueryView query={query} what={texts.whatWaitsForYou}>
        {({ now }) =>
          questions.length === 0 ? (
            <Empty title={texts.noRequests}>{texts.whenAnAgentMay}</Empty>
          ) : (
            <section aria-label={texts.waiting} className="flex flex-col gap-3">
              <p className="text-muted">
                <span className="pointer-coarse:hidden">{texts.chooseAQuestionWith}</span>
                <span className="hidden pointer-coarse:inline">{texts.tapAnAnswer}</span>
              </p>
              <div ref={list} className="flex flex-col gap-3">
                {questions.map((permission) => (
                  <QuestionCard
                    key={permission.permissionId}
                    permission={permission}
                    skewMs={now - dataUpdatedAt}
                    isQuiet={isQuiet}
                    quietNow={quietNow}
                    onAnswer={(id) => answeredHere.add(id)}
                  />
                ))}
              </div>
            </section>
          )
        }
      </QueryView>
      <GrantedRules />
      <Logins />
      <History />
    </Screen>
  )
}

/** Moves to the question that the address names, once that question is in the list. */
function useWantedQuestion(list: RefObject<HTMLElement | null>, ids: readonly string[]): void {
  const { question } = useSearch({ from: '/permissions' })
  const reached = useRef<string>(undefined)
  useEffect(() => {
    if (question === undefined || reached.current === question || !ids.includes(question)) return
    reached.current = question
    cardOf(list.current, question)?.focus()
  }, [question, ids, list])
}

/**
 * Tells the person about questions that were answered elsewhere. Add the ids of questions that this tab answers to the
 * returned set.
 */
function useAnsweredElsewhere(): Set<string> {
  const answeredHere = useRef(new Set<string>()).current
  const tell = useNotices()
  const take = useCallback(
    ({ type, data }: StreamFrame) => {
      if (type !== 'permission:resolved' && type !== 'permission:timeout') return
      const { permission } = data as { permission: PermissionView }
      if (!answeredHere.delete(permission.permissionId)) tell(decidedText(permission))
    },
    [answeredHere, tell],
  )
  useFrames(take)
  return answeredHere
}
