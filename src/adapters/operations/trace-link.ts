import { ownTraceId, spanIdOf, traceParentOf, traceParentText } from '../../base/lib/traceparent.ts'
import type { Call, Domain } from './call.ts'

/** Remembers the trace with which a first ask came. What is no traceparent is left out: it is the caller's text. */
export function noteTrace(
  turnId: string,
  { auth, traceparent }: { readonly auth: Pick<Call['auth'], 'parent'>; readonly traceparent?: string | undefined },
  { config, turnTraces, clock }: Pick<Domain, 'config' | 'turnTraces' | 'clock'>,
): void {
  if (traceparent === undefined || auth.parent !== undefined || config().insight.tracesTo === undefined) return
  if (traceParentOf(traceparent) !== undefined) turnTraces.add(turnId, traceparent, clock.now())
}

/** The page of the user's own viewer for the trace of this first ask. */
export function traceLink(rootTurnId: string, { config, turnTraces }: Domain): { readonly link?: string } {
  const { tracesTo, traceLink: pattern } = config().insight
  if (tracesTo === undefined || pattern === undefined) return {}
  const traceId = traceParentOf(turnTraces.of(rootTurnId))?.traceId ?? ownTraceId(rootTurnId)
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
  const traceId = traceParentOf(turnTraces.of(root))?.traceId ?? ownTraceId(root)
  return traceParentText({ traceId, spanId: spanIdOf(turnId) })
}
