import { sha256 } from './sha256.ts'

/** W3C Trace Context: which trace a call belongs to, and which span made it. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Whether the caller records the trace. If not, Iris does not export it. */
  readonly isSampled: boolean
}

/** In characters. A longer text from a caller is treated as invalid, so it is not stored. */
const longest = 512
const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[ -~]*)?$/

/**
 * Reads a foreign traceparent. A later version may have more fields after the four that Iris knows. Undefined if the
 * text is invalid; the call then starts its own trace.
 */
export function traceParentOf(text: unknown): TraceParent | undefined {
  if (typeof text !== 'string' || text.length > longest) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(text) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function traceParentText({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** The trace id of a first ask that came without a traceparent. */
export function ownTraceId(turnId: string): string {
  return turnId.replaceAll('-', '')
}

/**
 * The id of the span of a turn, or of a part of it. It is derived from the turn, so a repeated export has the same ids.
 */
export function spanIdOf(turnId: string, part = ''): string {
  return sha256(`${turnId} ${part}`).slice(0, 16)
}
