import type { Clock } from '../../../base/lib/clock.ts'
import {
  ownTraceId,
  spanIdOf,
  type TraceParent,
  traceParentOf,
  traceParentText,
} from '../../../base/lib/traceparent.ts'
import type { Call } from '../../../kernel/call/call.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { TreeRows } from '../../../platform/store/trees.ts'
import type { TurnTraces } from '../rows/turn-traces.ts'

/** The dependencies of these operations. */
export interface TraceLinkParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly trees: Pick<TreeRows, 'above' | 'beginningWith' | 'latest' | 'spent'>
  readonly turnTraces: TurnTraces
}

/** Remembers the trace with which a first ask came. Ignores a text from the caller that is not a traceparent. */
export function noteTrace(
  turnId: string,
  { auth, traceparent }: { readonly auth: Pick<Call['auth'], 'parent'>; readonly traceparent?: string | undefined },
  { config, turnTraces, clock }: Pick<TraceLinkParts, 'config' | 'turnTraces' | 'clock'>,
): void {
  if (traceparent === undefined || auth.parent !== undefined || config().insight.tracesTo === undefined) return
  const parent = traceParentOf(traceparent)
  if (parent !== undefined) turnTraces.add(turnId, traceParentText(parent), clock.now())
}

/**
 * The page for the trace of this first ask in the user's own viewer; no page if the caller does not record the trace.
 */
export function traceLink(rootTurnId: string, { config, turnTraces }: TraceLinkParts): { readonly link?: string } {
  const { tracesTo, traceLink: pattern } = config().insight
  if (tracesTo === undefined || pattern === undefined) return {}
  const { traceId, isSampled } = traceOf(rootTurnId, turnTraces)
  if (!isSampled) return {}
  return { link: pattern.replaceAll('{traceId}', traceId) }
}

/**
 * A traceparent for the answer to the caller: with it, what the caller does because of the answer comes below the
 * turn's span.
 */
export function traceparentOut(
  result: Readonly<Record<string, unknown>>,
  {
    config,
    trees,
    turnTraces,
  }: Pick<TraceLinkParts, 'config' | 'turnTraces'> & { readonly trees: Pick<TraceLinkParts['trees'], 'above'> },
): string | undefined {
  const { turnId } = result
  if (config().insight.tracesTo === undefined || typeof turnId !== 'string') return undefined
  const root = trees.above(turnId)[0] ?? turnId
  return traceParentText({ ...traceOf(root, turnTraces), spanId: spanIdOf(turnId) })
}

/** The trace to which a first ask and everything that it causes belong. */
function traceOf(root: string, turnTraces: Pick<TraceLinkParts['turnTraces'], 'of'>): Omit<TraceParent, 'spanId'> {
  const { traceId, isSampled } = traceParentOf(turnTraces.of(root)) ?? { traceId: ownTraceId(root), isSampled: true }
  return { traceId, isSampled }
}
