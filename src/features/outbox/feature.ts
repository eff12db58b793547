import { attempt } from '../../base/lib/attempt.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { Journal } from '../../kernel/journal/journal.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { Store } from '../../platform/store/store.ts'
import { enable, list, replay, test } from './handlers.ts'
import { undelivered } from './needs.ts'
import { Outbox, type OutboxParts } from './outbox.ts'
import { OutboxRows } from './rows.ts'

interface Needs extends Omit<OutboxParts, 'rows' | 'rowOf' | 'gaveUp' | 'journal' | 'attempt'> {
  readonly database: Store
  readonly journal: Journal
  readonly sessionRegistry: Pick<Sessions, 'rowOf'>
  readonly publish: (event: IrisEvent) => void
}

/** Posts the events of messages to programs, signed, at addresses that the owner chose. */
export const outbox = feature('outbox', (parts: Needs) => {
  const { database, ledger, log, publish, sessionRegistry: sessions } = parts
  const rows = new OutboxRows(database)
  const rowOf = (session: number) => sessions.rowOf(session)
  const gaveUp = (turnId: string): void => {
    const turn = ledger.turn(turnId)
    if (turn === undefined) return
    const { from, to, thread, sessionId } = rowOf(turn.session)
    publish({ type: 'inbox-changed', from, to, thread, sessionId })
  }
  const opened = new Outbox({ ...parts, attempt, log: log.for('outbox'), rows, rowOf, gaveUp })
  const of = { ...parts, outbox: opened }
  return {
    gives: { outbox: opened },
    needs: () => undelivered(rows),
    handlers: {
      list_callbacks: () => list(of),
      test_callback: (input, call) => test(input, call, of),
      replay_callback: (input) => replay(input, of),
      enable_callback: (input) => enable(input, of),
    },
    begin: () => opened.begin(),
    changed: () => opened.changed(),
    storePutBack: () => opened.putBack(),
    quiet: () => opened.quiet(),
    close: () => opened.close(),
  }
})
