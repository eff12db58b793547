import {
  ownTraceId,
  spanIdOf,
  type TraceParent,
  traceParentOf,
  traceParentText,
} from '../../../base/lib/traceparent.ts'
import type { Call, Domain } from '../../../kernel/call/call.ts'

/** Remembers the trace with which a first ask came. What is no traceparent is left out: it is the caller's text. */
export function noteTrace(
  turnId: string,
  { auth, traceparent }: { readonly auth: Pick<Call['auth'], 'parent'>; readonly traceparent?: string | undefined },
  { config, turnTraces, clock }: Pick<Domain, 'config' | 'turnTraces' | 'clock'>,
): void {
  if (traceparent === undefined || auth.parent !== undefined || config().insight.tracesTo === undefined) return
  const parent = traceParentOf(traceparent)
  if (parent !== undefined) turnTraces.add(turnId, traceParentText(parent), clock.now())
}

/** The page of the user's own viewer for the trace of this first ask; none for a trace that its caller does not record. */
export function traceLink(rootTurnId: string, { config, turnTraces }: Domain): { readonly link?: string } {
  const { tracesTo, traceLink: pattern } = config().insight
  if (tracesTo === undefined || pattern === undefined) return {}
  const { traceId, isSampled } = traceOf(rootTurnId, turnTraces)
  if (!isSampled) return {}
  return { link: pattern.replaceAll('{traceId}', traceId) }
}

/** For the answer to the caller: the span of the turn, as the parent of what the caller does because of it. */
export function traceparentOut(
  result: Readonly<Record<string, unknown>>,
  {
    config,
    trees,
    turnTraces,
  }: Pick<Domain, 'config' | 'turnTraces'> & { readonly trees: Pick<Domain['trees'], 'above'> },
): string | undefined {
  const { turnId } = result
  if (config().insight.tracesTo === undefined || typeof turnId !== 'string') return undefined
  const root = trees.above(turnId)[0] ?? turnId
  return traceParentText({ ...traceOf(root, turnTraces), spanId: spanIdOf(turnId) })
}

/** The trace to which a first ask and all that it causes belong. */
function traceOf(root: string, turnTraces: Pick<Domain['turnTraces'], 'of'>): Omit<TraceParent, 'spanId'> {
  const { traceId, isSampled } = traceParentOf(turnTraces.of(root)) ?? { traceId: ownTraceId(root), isSampled: true }
  return { traceId, isSampled }
}
