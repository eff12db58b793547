import { useState } from 'react'
import { conversationSubject } from '../../../../src/base/protocol/inbox.ts'
import { dayAndHour } from '../../shared/format/times.ts'
import { canBeDone, type Marking, openItems } from '../../shared/inbox/marks.ts'
import { useMarks } from '../../shared/inbox/use-marks.ts'
import type { Row } from './retrying.ts'
import { texts } from './texts.ts'

/** The marks of rows, the selected rows, and the rows for which the person is choosing a time. */
export function useRowMarks(skewMs: number) {
  const { mark, undo, send } = useMarks()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [later, setLater] = useState<readonly Row[]>()
  const clear = (): void => setSelected(new Set())
  const marking = (of: readonly Row[], change: Marking['change'], said: string): void =>
    void mark({ rows: of.map((row) => ({ sessionId: row.session.sessionId, items: openItems(row) })), change, said })
  const onDone = (of: readonly Row[]): void => {
    const doable = of.filter(canBeDone)
    if (doable.length > 0) marking(doable, { state: 'done' }, texts.doneSaid(doable.length))
  }
  const onBack = ({ session: { sessionId }, items }: Row): void =>
    void mark({ rows: [{ sessionId, items: items.slice(0, 1) }], change: { state: 'new' }, said: texts.broughtBack })
  const onPin = ({ session }: Row, pinned: boolean): void =>
    void send({ subjects: [conversationSubject(session.sessionId)], pinned })
  const onSelect = ({ session: { sessionId } }: Row): void =>
    setSelected((all) => {
      const others = [...all].filter((id) => id !== sessionId)
      return new Set(all.has(sessionId) ? others : [...others, sessionId])
    })
  const putOff = (until: number): void => {
    marking(later ?? [], { state: 'later', until: until + skewMs }, texts.laterSaid(dayAndHour(until)))
    setLater(undefined)
    clear()
  }
  return { selected, clear, later, setLater, putOff, undo, onDone, onBack, onPin, onSelect }
}
