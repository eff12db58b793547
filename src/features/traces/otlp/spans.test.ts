import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { expect, test } from 'vitest'
import type { SpanQuestion, SpanTool, SpanTurn } from '../rows/span-rows.ts'
import { type OtlpSpan, spansOf } from './spans.ts'

const turn: SpanTurn = {
  id: '0198c0de-0000-7000-8000-000000000001',
  root: '0198c0de-0000-7000-8000-000000000001',
  parent: null,
  parentToolUse: null,
  from: 'frontend',
  to: 'backend',
  thread: 'main',
  sessionId: 'session',
  outcome: 'completed',
  reason: null,
  traceparent: null,
  acceptedAt: 1000,
  firstAt: 1100,
  deliveredAt: 1200,
  startedAt: 1300,
  settledAt: 2000,
  usage: {
    inputTokens: 7,
    outputTokens: 20,
    cacheReadTokens: 8000,
    cacheWriteTokens: 993,
    costUsd: 0.5,
    contextWindow: 200_000,
    model: 'claude-sonnet-4-5',
  },
}
const tools: readonly SpanTool[] = [
  { toolUseId: 'a', within: null, name: 'Read', startedAt: 1400, endedAt: 1500, isError: false },
  { toolUseId: 'b', within: null, name: 'mcp__iris__send_message', startedAt: 1500, endedAt: null, isError: true },
]
const questions: readonly SpanQuestion[] = [
  { id: 'q', toolUseId: 'a', tool: 'Read', state: 'allowed', askedAt: 1400, decidedAt: 1450 },
]

const valuesOf = ({ attributes }: OtlpSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
const made = (more: Partial<SpanTurn> = {}) => spansOf({ ...turn, ...more }, tools, questions)
const named = (spans: readonly OtlpSpan[], name: string) => spans.find((span) => span.name === name)!

/** Every attribute that the released conventions name, and every value that they list for one. */
const released = Object.entries(conventions)
const registry = new Set(released.flatMap(([name, value]) => (name.startsWith('ATTR_') ? [String(value)] : [])))
const listed = (prefix: string) => released.flatMap(([name, value]) => (name.startsWith(prefix) ? [value] : []))

/**
 * The spans that Iris sends, as the model of the conventions describes them (open-telemetry/semantic-conventions-genai,
 * model/gen-ai/spans.yaml): the kind in OTLP's numbers, what a span must have, and which other attributes of the
 * convention Iris knows. MCP's convention adds its attributes to an existing span of a tool (model/mcp/spans.yaml).
 */
const described = {
  invoke_agent: {
    kind: 3,
    required: ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.agent.name', 'gen_ai.conversation.id'],
    ifAvailable: [
      'gen_ai.request.model',
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_creation.input_tokens',
      'error.type',
    ],
  },
  execute_tool: {
    kind: 1,
    required: ['gen_ai.operation.name', 'gen_ai.tool.name'],
    ifAvailable: ['gen_ai.tool.call.id', 'error.type', 'mcp.method.name'],
  },
} as const

test.each(['completed', 'failed'] as const)(
  'every span of a turn that %s is as the conventions describe it',
  (outcome) => {
    const spans = made({ outcome })
    expect(spans.filter(({ name, kind }) => name.startsWith('iris.') && kind !== 1)).toEqual([])
    const names = spans.flatMap((span) => Object.keys(valuesOf(span)).filter((name) => !name.startsWith('iris.')))
    expect(names.filter((name) => !registry.has(name))).toEqual([])
    for (const span of spans.filter(({ name }) => !name.startsWith('iris.'))) {
      const values = valuesOf(span)
      const [operation = ''] = span.name.split(' ')
      const foreign = Object.keys(values).filter((name) => !name.startsWith('iris.'))
      const { kind, required, ifAvailable } = described[operation as keyof typeof described]
      expect(span.kind).toBe(kind)
      expect(listed('GEN_AI_OPERATION_NAME_VALUE_')).toContain(values['gen_ai.operation.name'])
      expect(values['gen_ai.operation.name']).toBe(operation)
      expect(foreign).toEqual(expect.arrayContaining([...required]))
      expect(foreign.filter((name) => !([...required, ...ifAvailable] as string[]).includes(name))).toEqual([])
      // A success leaves the status unset; an error has a class.
      expect(span.status).toEqual('error.type' in values ? { code: 2 } : {})
    }
    const ask = valuesOf(named(made(), 'invoke_agent backend'))
    expect(listed('GEN_AI_PROVIDER_NAME_VALUE_')).toContain(ask['gen_ai.provider.name'])
    expect(ask['gen_ai.agent.name']).toBe('backend')
  },
)

test('input tokens include cached ones, and the model is named', () => {
  expect(valuesOf(named(made(), 'invoke_agent backend'))).toMatchObject({
    'gen_ai.request.model': 'claude-sonnet-4-5',
    'gen_ai.usage.input_tokens': '9000',
    'gen_ai.usage.cache_read.input_tokens': '8000',
    'gen_ai.usage.cache_creation.input_tokens': '993',
    'gen_ai.usage.output_tokens': '20',
  })
  expect(valuesOf(named(made({ usage: null }), 'invoke_agent backend'))).not.toHaveProperty('gen_ai.usage.input_tokens')
})

test('nothing is made of a turn whose caller does not record it', () => {
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}`
  expect(made({ traceparent: `${traceparent}-00` })).toEqual([])
  expect(made({ traceparent: `${traceparent}-01` })[0]).toMatchObject({ traceId: 'ab'.repeat(16) })
})
