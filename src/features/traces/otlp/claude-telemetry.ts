import { isRecord } from '../../../base/lib/is-record.ts'
import { spanIdOf } from '../../../base/lib/traceparent.ts'
import { names } from './semantic-names.ts'
import { attributes } from './spans.ts'

/** The kinds of data that OTLP carries, each with its own path. */
export const signals = ['traces', 'logs', 'metrics'] as const
export type Signal = (typeof signals)[number]

/** The turn that was running in a conversation at a given time. */
export interface TurnAt {
  readonly id: string
  readonly traceId: string
}

/** The owner of telemetry, according to the credential that it came with. */
export interface Sender {
  readonly sessionId: string
  readonly team: string
  /** Milliseconds since the epoch. Undefined if no turn was running. */
  readonly turnAt: (at: number) => TurnAt | undefined
}

export interface Taken {
  /** For `resourceSpans`, `resourceLogs` or `resourceMetrics`; undefined if no record is left. */
  readonly resource: object | undefined
  readonly taken: number
  /** Records that were left out, because they belong to another conversation or to no turn, or were not understood. */
  readonly refused: number
}

type Fields = Readonly<Record<string, unknown>>

/** The most records of one request. */
const maxRecords = 2000
const maxAttributes = 64
const maxValue = 500
/**
 * The attributes that are kept: measurements, ids and names; no texts of prompts, answers, commands or files, and
 * nothing about the user.
 */
const known =
  /^(?:gen_ai\.[a-z_.]+|session\.id|interaction\.(?:sequence|duration_ms)|event\.(?:name|sequence|timestamp)|prompt\.id|message\.uuid|span\.type|model|effort|speed|query_source|duration_ms|ttft_ms|first_content_ms|(?:input|output|cache_read|cache_creation)_tokens|cost_usd|success|attempt|stop_reason|status_code|tool_name|tool_use_id|decision|source|prompt_length|response_length|tool_(?:input|result)_size_bytes|type|start_type)$/
const hex16 = /^[0-9a-f]{16}$/
const hex32 = /^[0-9a-f]{32}$/
const nanos = /^\d{16,20}$/

/**
 * Attaches the telemetry of one Claude Code process to the turns of its conversation. The conversation is identified by
 * the credential, not by what the telemetry says about itself. A record that names another conversation is left out.
 * Everything is rebuilt from known fields. Pure.
 */
export function hungUnderTurns(signal: Signal, body: unknown, sender: Sender): Taken {
  const { group, scoped, records } = places[signal]
  let [taken, refused] = [0, 0]
  const byTrace = new Map<string, TurnAt>()
  const found: object[] = []
  for (const resource of listIn(body, group)) {
    for (const scope of listIn(resource, scoped)) {
      for (const record of listIn(scope, records)) {
        const hung = taken + refused < maxRecords ? hangers[signal](record, sender, byTrace) : undefined
        if (hung === undefined) refused += 1
        else {
          taken += 1
          found.push(hung)
        }
      }
    }
  }
  const about = { [names.service]: 'claude-code', [names.agent]: sender.team, [names.conversation]: sender.sessionId }
  const resource = {
    resource: { attributes: attributes(about) },
    [scoped]: [{ scope: { name: 'claude_code' }, [records]: found }],
  }
  return { resource: taken === 0 ? undefined : resource, taken, refused }
}

const places = {
  traces: { group: 'resourceSpans', scoped: 'scopeSpans', records: 'spans' },
  logs: { group: 'resourceLogs', scoped: 'scopeLogs', records: 'logRecords' },
  metrics: { group: 'resourceMetrics', scoped: 'scopeMetrics', records: 'metrics' },
} as const

/** The name of the list in a request of that signal. */
export const groupOf = (signal: Signal): string => places[signal].group

type Hanger = (record: Fields, sender: Sender, byTrace: Map<string, TurnAt>) => object | undefined

const hangers: Readonly<Record<Signal, Hanger>> = {
  traces(span, sender, byTrace) {
    const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, status } = span
    if (!is(traceId, hex32) || !is(spanId, hex16) || !is(name, /^claude_code\.[a-z_.]{1,80}$/)) return undefined
    if (!is(startTimeUnixNano, nanos) || !is(endTimeUnixNano, nanos)) return undefined
    const own = ownAttributes(span['attributes'], sender)
    const turn = own && turnOf(traceId, startTimeUnixNano, sender, byTrace)
    if (own === undefined || turn === undefined) return undefined
    const code = isRecord(status) && (status['code'] === 1 || status['code'] === 2) ? { code: status['code'] } : {}
    return {
      traceId: turn.traceId,
      spanId,
      parentSpanId: is(parentSpanId, hex16) ? parentSpanId : spanIdOf(turn.id),
      name,
      kind: kind === 3 ? 3 : 1,
      startTimeUnixNano,
      endTimeUnixNano,
      status: code,
      attributes: [...own, ...attributes({ [names.turn]: turn.id })],
    }
  },
  logs(record, sender, byTrace) {
    const { timeUnixNano, traceId, spanId, body } = record
    const text = isRecord(body) ? body['stringValue'] : undefined
    if (!is(timeUnixNano, nanos) || !is(text, /^claude_code\.[a-z_.]{1,80}$/)) return undefined
    const own = ownAttributes(record['attributes'], sender)
    const turn = own && turnOf(is(traceId, hex32) ? traceId : undefined, timeUnixNano, sender, byTrace)
    if (own === undefined || turn === undefined) return undefined
    return {
      timeUnixNano,
      body: { stringValue: text },
      severityNumber: 9,
      traceId: turn.traceId,
      spanId: is(spanId, hex16) ? spanId : spanIdOf(turn.id),
      attributes: [...own, ...attributes({ [names.turn]: turn.id })],
    }
  },
  metrics({ name, unit, sum }, sender) {
    if (!is(name, /^claude_code\.[a-z_.]{1,80}$/) || !isRecord(sum)) return undefined
    const points = listIn(sum, 'dataPoints')
      .slice(0, 100)
      .flatMap((point) => {
        const { startTimeUnixNano, timeUnixNano, asInt, asDouble } = point
        const own = ownAttributes(point['attributes'], sender)
        const value = numberOf(asInt ?? asDouble)
        if (own === undefined || !is(startTimeUnixNano, nanos) || !is(timeUnixNano, nanos) || !Number.isFinite(value))
          return []
        const turn = sender.turnAt(msOf(timeUnixNano))
        const under = turn === undefined ? [] : attributes({ [names.turn]: turn.id })
        return [{ startTimeUnixNano, timeUnixNano, asDouble: value, attributes: [...own, ...under] }]
      })
    if (points.length === 0) return undefined
    const temporality = sum['aggregationTemporality'] === 2 ? 2 : 1
    const unitOf = is(unit, /^[A-Za-z{}/%1]{0,20}$/) ? unit : ''
    return { name, unit: unitOf, sum: { aggregationTemporality: temporality, isMonotonic: true, dataPoints: points } }
  },
}

/** All spans of one trace of Claude Code belong to one turn: the one that was running when the first of them began. */
function turnOf(
  traceId: string | undefined,
  nano: string,
  { turnAt }: Sender,
  byTrace: Map<string, TurnAt>,
): TurnAt | undefined {
  const turn = (traceId === undefined ? undefined : byTrace.get(traceId)) ?? turnAt(msOf(nano))
  if (turn !== undefined && traceId !== undefined) byTrace.set(traceId, turn)
  return turn
}

const msOf = (nano: string): number => Number(nano.slice(0, -6))

/** The attributes to keep. Undefined if the record names another conversation, or none. */
function ownAttributes(given: unknown, { sessionId }: Sender): readonly object[] | undefined {
  const all = Array.isArray(given) ? given.slice(0, maxAttributes).filter(isRecord) : []
  const kept = all.flatMap(({ key, value }) => {
    const simple = typeof key === 'string' && known.test(key) && isRecord(value) ? simpleValue(value) : undefined
    return simple === undefined ? [] : [{ key, value: simple }]
  })
  const session = kept.find(({ key }) => key === 'session.id')?.value
  return session !== undefined && 'stringValue' in session && session.stringValue === sessionId ? kept : undefined
}

function simpleValue({ stringValue, intValue, doubleValue, boolValue }: Fields) {
  if (typeof stringValue === 'string') return { stringValue: stringValue.slice(0, maxValue) }
  if (typeof boolValue === 'boolean') return { boolValue }
  if (typeof doubleValue === 'number') return { doubleValue }
  const whole = numberOf(intValue)
  return Number.isSafeInteger(whole) ? { intValue: String(whole) } : undefined
}

/** NaN for anything else: `Number` may throw for an object that has its own `valueOf`, and for a deeply nested list. */
function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
}

function is(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}

function listIn(within: unknown, key: string): readonly Fields[] {
  const list = isRecord(within) ? within[key] : undefined
  return Array.isArray(list) ? list.filter(isRecord) : []
}
