import { ownTraceId, spanIdOf, traceParentOf } from '../../../base/lib/traceparent.ts'
import type { Usage } from '../../../base/protocol/turn.ts'
import type { SpanQuestion, SpanTool, SpanTurn } from '../rows/span-rows.ts'
import { names, operations, spanKinds, statusCodes } from './semantic-names.ts'

/** A span in OTLP's JSON form. */
export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code: number } | Record<string, never>
}

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly doubleValue: number }
}

/**
 * The spans of an ended turn: the ask, its queue, its process, its model, its tools, and the people it waited for.
 * Empty if the trace came from a caller who does not record it. Pure.
 */
export function spansOf(
  turn: SpanTurn,
  tools: readonly SpanTool[],
  questions: readonly SpanQuestion[],
): readonly OtlpSpan[] {
  const foreign = traceParentOf(turn.traceparent)
  if (foreign?.isSampled === false) return []
  const traceId = foreign?.traceId ?? ownTraceId(turn.root)
  // The asker's host has a span of this turn too, and that one is the parent.
  const isAnswer = foreign?.spanId === spanIdOf(turn.id)
  const own = isAnswer ? spanIdOf(turn.id, 'answer') : spanIdOf(turn.id)
  const part = (span: Omit<OtlpSpan, 'traceId' | 'kind' | 'status'> & Partial<OtlpSpan>): OtlpSpan => ({
    traceId,
    parentSpanId: own,
    kind: spanKinds.internal,
    status: {},
    ...span,
  })
  const parentSpanId = parentOf(turn) ?? foreign?.spanId
  const { parentSpanId: _, ...ask } = part({
    spanId: own,
    name: `${operations.agent} ${turn.to}`,
    kind: spanKinds.client,
    ...times(turn.acceptedAt, turn.settledAt),
    attributes: askAttributes(turn),
    // The conventions leave the status of a success unset.
    status: turn.outcome === 'completed' ? {} : { code: statusCodes.error },
  })
  const { acceptedAt, settledAt, startedAt } = turn
  const first = turn.firstAt ?? turn.deliveredAt ?? settledAt
  const phases = [
    { name: 'iris.queue', from: acceptedAt, to: first },
    { name: 'iris.process', from: first, to: startedAt ?? settledAt },
    ...(startedAt === null ? [] : [{ name: 'iris.model', from: startedAt, to: settledAt }]),
  ]
  return [
    parentSpanId === undefined ? ask : { ...ask, parentSpanId },
    ...phases
      .filter(({ from, to }) => from < to)
      .map(({ name, from, to }) =>
        part({
          spanId: spanIdOf(turn.id, isAnswer ? `answer ${name}` : name),
          name,
          ...times(from, to),
          attributes: [],
        }),
      ),
    ...tools.map((tool) => part(toolSpan(turn, tool))),
    ...questions.map(({ id, toolUseId, tool, state, askedAt, decidedAt }) =>
      part({
        spanId: spanIdOf(turn.id, `permission ${id}`),
        parentSpanId: spanIdOf(turn.id, toolUseId),
        name: `iris.person ${tool}`,
        ...times(askedAt, decidedAt ?? settledAt),
        attributes: attributes({ [names.decision]: state, [names.tool]: tool }),
      }),
    ),
  ]
}

/** The id of the span of the tool use with which the turn was asked, in the asker's turn. */
function parentOf({ parent, parentToolUse }: SpanTurn): string | undefined {
  if (parent === null) return undefined
  return parentToolUse === null ? spanIdOf(parent) : spanIdOf(parent, parentToolUse)
}

function askAttributes({ id, to, from, thread, sessionId, outcome, reason, usage }: SpanTurn): readonly Attribute[] {
  return attributes({
    [names.operation]: operations.agent,
    [names.provider]: 'anthropic',
    [names.agent]: to,
    [names.conversation]: sessionId,
    [names.turn]: id,
    [names.asker]: from,
    [names.thread]: thread,
    [names.outcome]: outcome,
    [names.error]: outcome === 'completed' ? undefined : (reason ?? outcome),
    ...(usage !== null && usageAttributes(usage)),
  })
}

/** The conventions count cached tokens as input, and name them again; Claude Code counts each token once. */
function usageAttributes({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, model, costUsd }: Usage) {
  return {
    [names.model]: model,
    [names.inputTokens]: inputTokens + cacheReadTokens + cacheWriteTokens,
    [names.cacheReadTokens]: cacheReadTokens,
    [names.cacheWriteTokens]: cacheWriteTokens,
    [names.outputTokens]: outputTokens,
    [names.cost]: costUsd,
  }
}

function toolSpan(turn: SpanTurn, { toolUseId, within, name, startedAt, endedAt, isError }: SpanTool) {
  return {
    spanId: spanIdOf(turn.id, toolUseId),
    ...(within !== null && { parentSpanId: spanIdOf(turn.id, within) }),
    name: `${operations.tool} ${name}`,
    ...times(startedAt, endedAt ?? turn.settledAt),
    attributes: attributes({
      [names.operation]: operations.tool,
      [names.tool]: name,
      [names.toolCall]: toolUseId,
      [names.mcpMethod]: name.startsWith('mcp__') ? 'tools/call' : undefined,
      [names.error]: isError ? 'tool_error' : undefined,
    }),
    status: isError ? { code: statusCodes.error } : {},
  }
}

/** Milliseconds as nanoseconds. If a clock was set back, the span has no negative length. */
function times(from: number, to: number): Pick<OtlpSpan, 'startTimeUnixNano' | 'endTimeUnixNano'> {
  const nanos = (ms: number): string => `${Math.trunc(ms)}000000`
  return { startTimeUnixNano: nanos(from), endTimeUnixNano: nanos(Math.max(from, to)) }
}

export function attributes(values: Readonly<Record<string, string | number | undefined>>): readonly Attribute[] {
  return Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (value === undefined) return []
    if (typeof value === 'string') return [{ key, value: { stringValue: value } }]
    return [{ key, value: key === names.cost ? { doubleValue: value } : { intValue: String(value) } }]
  })
}
