import type { Log } from '../../base/lib/log.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { Store } from '../../platform/store/store.ts'
import { type TraceParts, trace, turns } from './handlers/trace.ts'
import { TraceRows } from './rows/trace-rows.ts'
import { TurnTraces } from './rows/turn-traces.ts'
import { TraceLink, type TraceLinkParts } from './trace-link.ts'

interface Needs extends Omit<TraceParts, 'traceRows' | 'turnTraces'>, Omit<TraceLinkParts, 'log' | 'store'> {
  readonly clock: TraceLinkParts['clock']
  readonly config: TraceLinkParts['config']
  readonly database: Store
  readonly log: Log
  readonly secrets: TraceLinkParts['secrets'] & TraceParts['secrets']
}

/** The story of a message and of everything it caused: on the dashboard, in the terminal, and as OpenTelemetry. */
export const traces = feature('traces', (parts: Needs) => {
  const { database, log } = parts
  const rows = { traceRows: new TraceRows(database), turnTraces: new TurnTraces(database) }
  const link = new TraceLink({ ...parts, log: log.for('traces'), store: database.path })
  const reading = { ...parts, ...rows }
  return {
    gives: rows,
    isOn: () => parts.config().insight.tracesTo !== undefined,
    seams: { telemetry: { of: (session, team) => link.telemetryOf(session, team) } },
    handlers: {
      trace_turn: (input, call) => trace(input, call, reading),
      list_turns: (input, call) => turns(input, call, reading),
    },
    begin: () => link.begin(),
    changed: () => link.settingsChanged(),
    end: () => link.end(),
  }
})
