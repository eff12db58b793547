import { isDeepStrictEqual } from 'node:util'
import root from '@opentelemetry/otlp-transformer/build/src/generated/root.js'
import { isRecord } from '../../src/base/lib/is-record.ts'

/** The code that protobufjs generated for a message; its declarations leave the messages out. */
interface Message {
  fromObject(value: Record<string, unknown>): object
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
  toObject(message: object, how: { longs: typeof String; enums: typeof Number }): object
}
type Service = Readonly<Record<'v1', Readonly<Record<string, Message>>>>
const { trace, logs, metrics } = (
  root as unknown as { opentelemetry: { proto: { collector: Record<'trace' | 'logs' | 'metrics', Service> } } }
).opentelemetry.proto.collector

const requests = {
  traces: trace.v1['ExportTraceServiceRequest']!,
  logs: logs.v1['ExportLogsServiceRequest']!,
  metrics: metrics.v1['ExportMetricsServiceRequest']!,
} as const
export type OtlpSignal = keyof typeof requests

/** OTLP's JSON form writes these in hex, where protobuf's own JSON form has base64. */
const idBytes: Readonly<Record<string, number>> = { traceId: 16, spanId: 8, parentSpanId: 8 }

/**
 * Makes the protobuf of OpenTelemetry of a request in OTLP's JSON form, and reads that again. Throws unless what
 * comes back is what was sent: a field that the schema lacks is lost on that way, and a value of another type changes.
 * So ids are hex of their length, 64-bit integers are strings and enums are numbers.
 */
export function decodedOtlp(signal: OtlpSignal, text: string): Uint8Array {
  const sent: unknown = JSON.parse(text)
  const bytes = requests[signal].encode(requests[signal].fromObject(withBytes(sent))).finish()
  const message = requests[signal].decode(bytes)
  const back: unknown = withHex(requests[signal].toObject(message, { longs: String, enums: Number }))
  const expected = withoutEmptyLists(sent)
  if (isDeepStrictEqual(back, expected)) return bytes
  throw new Error(`not OTLP: sent ${JSON.stringify(expected)}, but protobuf has ${JSON.stringify(back)}`)
}

function withBytes(value: unknown): Record<string, unknown> {
  return mapped(value, (key, one) => {
    const length = idBytes[key]
    if (length === undefined) return one
    if (typeof one !== 'string' || !/^[0-9a-f]+$/.test(one) || one.length !== 2 * length)
      throw new Error(`not OTLP: ${key} is ${JSON.stringify(one)}, not ${length} bytes in hex`)
    return Buffer.from(one, 'hex')
  }) as Record<string, unknown>
}

function withHex(value: unknown): unknown {
  return mapped(value, (_, one) => (one instanceof Uint8Array ? Buffer.from(one).toString('hex') : one))
}

/** Protobuf does not tell a list without elements from none. */
function withoutEmptyLists(value: unknown): unknown {
  return mapped(value, (_, one) => (Array.isArray(one) && one.length === 0 ? undefined : one))
}

/** Replaces the value of a key everywhere; undefined removes the key. */
function mapped(value: unknown, replace: (key: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(each, replace))
  if (!isRecord(value) || value instanceof Uint8Array) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const replaced = replace(key, each)
      return replaced === undefined ? [] : [[key, mapped(replaced, replace)]]
    }),
  )
}
