import { Compactions } from '../../platform/store/compactions.ts'
import { ForgottenTurns } from '../../platform/store/forgotten-turns.ts'
import { LastTurns } from '../../platform/store/last-turns.ts'
import { Ledger } from '../../platform/store/ledger.ts'
import { ModelChangeRows } from '../../platform/store/model-changes.ts'
import { Notices } from '../../platform/store/notices.ts'
import { PairTurns } from '../../platform/store/pair-turns.ts'
import { ProcessRows } from '../../platform/store/process-rows.ts'
import { Reports } from '../../platform/store/reports.ts'
import { SessionList } from '../../platform/store/session-list.ts'
import { SessionTurns } from '../../platform/store/session-turns.ts'
import { SessionRows } from '../../platform/store/sessions.ts'
import { StatisticsOverTime } from '../../platform/store/statistics-over-time.ts'
import type { Store } from '../../platform/store/store.ts'
import { ToolStarts } from '../../platform/store/tool-starts.ts'
import { TrafficRows } from '../../platform/store/traffic.ts'
import { TreeRows } from '../../platform/store/trees.ts'
import { TurnList } from '../../platform/store/turn-list.ts'
import { UsageRows } from '../../platform/store/usage-rows.ts'

/** The kernel's tables: those that it writes, and those that it only reads. */
export function openRows(store: Store) {
  const ledger = new Ledger(store)
  return {
    rows: new SessionRows(store),
    ledger,
    notices: new Notices(store),
    compactions: new Compactions(store),
    modelChanges: new ModelChangeRows(store),
    processRows: new ProcessRows(store),
    trees: new TreeRows(store),
    attachments: ledger.attachments,
    forgotten: new ForgottenTurns(store),
    pairTurns: new PairTurns(store),
    sessionList: new SessionList(store),
    sessionTurns: new SessionTurns(store),
    lastTurns: new LastTurns(store),
    traffic: new TrafficRows(store, ledger),
    usageRows: new UsageRows(store),
    statisticsOverTime: new StatisticsOverTime(store),
    turnList: new TurnList(store),
    toolStarts: new ToolStarts(store),
    reports: new Reports(store),
  }
}
