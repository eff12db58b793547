import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { startForeignListener } from '../support/foreign-listener.ts'
import { TestIris } from '../support/iris.ts'
import { decodedOtlp, type OtlpSignal } from '../support/otlp-decoder.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
interface Sent {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: Attributes
}
type Body = Readonly<Record<string, readonly Readonly<Record<string, readonly Readonly<Record<string, Sent[]>>[]>>[]>>

/** The requests to each path, and all of them as text. */
const got = { traces: [] as Sent[], logs: [] as Sent[], metrics: [] as Sent[] }
let texts = ''
/** Why requests were not OTLP, by the protobuf of OpenTelemetry. */
const refused: string[] = []
const startCollector = () =>
  createServer((request, response) => {
    let text = ''
    request.on('data', (part) => (text += part))
    request.on('end', () => {
      texts += text
      try {
        decodedOtlp(request.url!.slice('/v1/'.length) as OtlpSignal, text)
      } catch (error) {
        refused.push(String(error))
      }
      const body = JSON.parse(text) as Body
      const of = (group: string, scoped: string, records: string) =>
        (body[group] ?? []).flatMap((each) => each[scoped]!).flatMap((each) => each[records]!)
      got.traces.push(...of('resourceSpans', 'scopeSpans', 'spans'))
      got.logs.push(...of('resourceLogs', 'scopeLogs', 'logRecords'))
      got.metrics.push(...of('resourceMetrics', 'scopeMetrics', 'metrics'))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })

const script: Script = ({ conversation: { lastUserText, step } }) =>
  spoken(lastUserText).startsWith('run') && step === 0
    ? { toolUses: [{ name: 'Bash', input: { command: 'echo "the endpoint is $OTEL_EXPORTER_OTLP_ENDPOINT."' } }] }
    : { text: 'a confidential answer' }

const attribute = ({ attributes }: Sent, name: string): unknown => {
  const found = attributes.find(({ key }) => key === name)
  return found && Object.values(found.value)[0]
}
const ofTurn = (records: readonly Sent[], turnId: string) =>
  records.filter((record) => attribute(record, 'iris.turn.id') === turnId)

describe.each(claudeVersions)('Claude Code %s', (version) => {
  let iris: TestIris
  let collector: Server
  beforeAll(async () => {
    collector = startCollector()
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
    const tracesTo = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`
    const env = Object.fromEntries(
      ['OTEL_METRIC_EXPORT_INTERVAL', 'OTEL_LOGS_EXPORT_INTERVAL', 'OTEL_TRACES_EXPORT_INTERVAL'].map((n) => [
        n,
        '300',
      ]),
    )
    const settings = { claudePath: claudeBinary(version), env }
    const teams = { frontend: {}, backend: { grantPermission: 'yes', dangerous: true } } as const
    iris = await TestIris.start({ script, settings, teams })
    iris.world.writeConfig({ settings, teams, insight: { tracesTo, claudeTelemetry: true } })
    await iris.event('config-reloaded')
  })
  afterAll(async () => {
    await iris[Symbol.asyncDispose]()
    collector.closeAllConnections()
    await new Promise((resolve) => collector.close(resolve))
  })

  test('its spans, log records and metrics come under their turn, also of a later message of the process', async () => {
    const first = await ask(iris, 'backend', 'run it', { fromTeam: 'frontend' })
    const second = await ask(iris, 'backend', 'a confidential question', { fromTeam: 'frontend' })
    for (const [index, { turnId }] of [first, second].entries()) {
      const interaction = () => ofTurn(got.traces, turnId).find(({ name }) => name === 'claude_code.interaction')
      const asked = () => ofTurn(got.traces, turnId).find(({ name }) => name === 'invoke_agent backend')
      await eventually(() => interaction() !== undefined && asked() !== undefined, 'both have sent their spans')
      expect(interaction()!.parentSpanId).toBe(asked()!.spanId)
      expect(Number(attribute(interaction()!, 'interaction.sequence'))).toBe(index + 1)
      const of = () => ofTurn(got.traces, turnId).filter(({ name }) => name.startsWith('claude_code.'))
      await eventually(() => of().some(({ name }) => name === 'claude_code.llm_request'), 'its calls of the model')
      expect(new Set(of().map(({ traceId }) => traceId))).toEqual(new Set([asked()!.traceId]))
      const isRequest = (record: Sent) => attribute(record, 'event.name') === 'api_request'
      await eventually(() => ofTurn(got.logs, turnId).some(isRequest), 'its log records')
    }
    const isTool = ({ name }: Sent) => name === 'claude_code.tool'
    const tool = await eventually(() => ofTurn(got.traces, first.turnId).find(isTool), 'its tool')
    const isOwn = (span: Sent) => span.name === 'execute_tool Bash' && span.traceId === tool.traceId
    const own = await eventually(() => got.traces.find(isOwn), 'what Iris says of the tool')
    expect(attribute(tool, 'gen_ai.tool.call.id')).toBe(attribute(own, 'gen_ai.tool.call.id'))
    await eventually(() => got.metrics.some(({ name }) => name === 'claude_code.token.usage'), 'its metrics')
    expect(refused).toEqual([])
    // Neither texts nor who the user is.
    expect(texts).not.toMatch(/confidential|run it|echo|user\.id|Bearer/)
  })

  test('settings files of the project and of the user lead it nowhere else, also if they come later', async () => {
    await using elsewhere = await startForeignListener(join(iris.world.root, 'elsewhere'))
    const { url } = elsewhere
    const env = {
      BETA_TRACING_ENDPOINT: url,
      ENABLE_BETA_TRACING_DETAILED: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      // gRPC has its own proxy, and the list of hosts without one too.
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc',
      grpc_proxy: url,
      no_grpc_proxy: 'intra.example',
    }
    const answered = async () => {
      const { turnId } = await ask(iris, 'backend', 'run it', { fromTeam: 'frontend' })
      const isInteraction = ({ name }: Sent) => name === 'claude_code.interaction'
      await eventually(() => ofTurn(got.traces, turnId).some(isInteraction), 'Iris has the spans of the message')
    }
    await answered()
    for (const place of [join(iris.world.directory('backend'), '.claude'), iris.world.claudeDirectory]) {
      mkdirSync(place, { recursive: true })
      writeFileSync(join(place, 'settings.json'), JSON.stringify({ env }))
    }
    await answered()
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam: 'frontend' })
    await answered()
    await answered()
    expect(elsewhere.seen).toEqual([])
  })
})
