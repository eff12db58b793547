import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { filter, firstValueFrom } from 'rxjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Script } from '../../src/app/demo/script.ts'
import { createLog } from '../../src/base/lib/log.ts'
import { TraceExport } from '../../src/features/traces/otlp/trace-export.ts'
import { TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { TestIris } from '../support/iris.ts'
import { decodedOtlp } from '../support/otlp-decoder.ts'
import { asOwner } from '../support/owner.ts'
import { count } from '../support/page-waits.ts'
import { spoken } from '../support/world.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

/** Takes what OTLP over HTTP sends, as a collector does, and reads it with the protobuf of OpenTelemetry. */
class Collector implements AsyncDisposable {
  readonly spans: Span[] = []
  /** Why requests were not OTLP. */
  readonly refused: string[] = []
  readonly headers: IncomingMessage['headers'][] = []
  status = 200
  /** Requests get no answer. */
  isHeld = false
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      this.headers.push(request.headers)
      const text = Buffer.concat(parts).toString()
      try {
        decodedOtlp('traces', text)
      } catch (error) {
        this.refused.push(String(error))
      }
      const body = JSON.parse(text) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[]
      }
      if (this.status === 200)
        this.spans.push(...body.resourceSpans.flatMap((each) => each.scopeSpans).flatMap((each) => each.spans))
      if (this.isHeld) return
      response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}')
    })
  })

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`
  }

  named(name: string): Span | undefined {
    return this.spans.find((span) => span.name === name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

const collector = new Collector()
let iris: TestIris
let endpoint: string
/** "ask" asks billing, "work" reads a file and wants to run a command, everything else is answered at once. */
const script: Script = ({ conversation: { lastUserText, step } }) => {
  const said = spoken(lastUserText)
  if (said === 'ask' && step === 0)
    return { toolUses: [{ name: 'mcp__iris__send_message', input: { toTeam: 'billing', message: 'and you?' } }] }
  const file_path = join(iris.world.directory('backend'), 'README.md')
  if (said === 'work' && step === 0) return { toolUses: [{ name: 'Read', input: { file_path } }] }
  if (said === 'work' && step === 1) return { toolUses: [{ name: 'Bash', input: { command: 'touch done' } }] }
  return { text: 'yes' }
}

const attribute = (span: Span | undefined, name: string): unknown => {
  const found = span?.attributes.find(({ key }) => key === name)
  return found && Object.values(found.value)[0]
}

const teams = { frontend: {}, backend: {}, billing: {} }
/** Saves these settings, and waits until Iris has taken them. */
const save = async (insight: Record<string, unknown>) => {
  const reloaded = firstValueFrom(iris.daemon.events$.pipe(filter(({ type }) => type === 'config-reloaded')))
  iris.world.writeConfig({ teams, insight })
  await reloaded
}
const guide = readFileSync(new URL('../../docs/guide/traces.md', import.meta.url), 'utf8')
/** The example of the guide, with the port of the double, and a header that a collector may ask for. */
const traced = () => {
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(guide) ?? []
  const { insight } = parse(example.replace('http://127.0.0.1:4318/v1/traces', endpoint)) as { insight: object }
  return { ...insight, traceHeaders: { 'x-key': 'key of the receiver' } }
}

beforeAll(async () => {
  endpoint = await collector.listen()
  iris = await TestIris.start({ script, teams })
  await save(traced())
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await collector[Symbol.asyncDispose]()
})

test('an ask and what it causes are one trace, by the names of the conventions, with times that nest', async () => {
  const { turnId, sessionId } = await ask(iris, 'backend', 'ask', { fromTeam: 'frontend' })
  await eventually(() => collector.named('invoke_agent backend') !== undefined, 'the trace is sent')
  await eventually(() => collector.named('invoke_agent billing') !== undefined, 'the trace of the inner ask is sent')
  const [outer, inner] = [collector.named('invoke_agent backend')!, collector.named('invoke_agent billing')!]
  const tool = collector.named('execute_tool mcp__iris__send_message')!
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([turnId.replaceAll('-', '')]))
  expect(outer.parentSpanId).toBeUndefined()
  expect(tool.parentSpanId).toBe(outer.spanId)
  expect(inner.parentSpanId).toBe(tool.spanId)
  expect(attribute(outer, 'gen_ai.operation.name')).toBe('invoke_agent')
  expect(attribute(outer, 'gen_ai.conversation.id')).toBe(sessionId)
  expect(Number(attribute(outer, 'gen_ai.usage.output_tokens'))).toBeGreaterThan(0)
  expect(attribute(outer, 'gen_ai.request.model')).toMatch(/claude/)
  expect(attribute(tool, 'mcp.method.name')).toBe('tools/call')
  for (const span of collector.spans) {
    expect(BigInt(span.startTimeUnixNano)).toBeLessThanOrEqual(BigInt(span.endTimeUnixNano))
    expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(outer.startTimeUnixNano))
  }
  expect(collector.headers[0]).toMatchObject({ 'x-key': 'key of the receiver', 'content-type': 'application/json' })
  expect(collector.refused).toEqual([])
  expect(JSON.stringify(collector.spans)).not.toContain('and you?')
  expect(await asOwner(iris, 'trace_turn', { turnId })).toMatchObject({
    link: `http://127.0.0.1:16686/trace/${turnId.replaceAll('-', '')}`,
  })
  expect(JSON.stringify(await asOwner(iris, 'get_config', {}))).not.toContain('key of the receiver')
})

test('every span that the guide names is sent', async () => {
  writeFileSync(join(iris.world.directory('backend'), 'README.md'), 'Orders.\n')
  const asked = ask(iris, 'backend', 'work', { fromTeam: 'frontend' })
  const { permission } = await iris.event('permission:request')
  const queued = ask(iris, 'backend', 'and then?', { fromTeam: 'frontend' })
  await iris.event('turn-accepted', ({ ahead }) => ahead === 1)
  await asOwner(iris, 'answer_permission', { permissionId: permission.permissionId, decision: 'allow' })
  const traces = (await Promise.all([asked, queued])).map(({ turnId }) => turnId.replaceAll('-', ''))
  const [, table = ''] = guide.split('| span | stands for |')
  const cells = table
    .split('\n\n')[0]!
    .split('\n')
    .map((row) => row.split('|')[1] ?? '')
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  expect(names).toHaveLength(6)
  const sent = () => collector.spans.filter(({ traceId }) => traces.includes(traceId)).map(({ name }) => name)
  await eventually(() => names.every((name) => sent().includes(name)), 'each span of the table is sent')
})

describe('a foreign traceparent', () => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const send = (traceparent: string) =>
    fetch(`http://127.0.0.1:${iris.port}/api/teams/tell`, {
      method: 'POST',
      headers: { authorization: `Bearer ${iris.token}`, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ toTeam: 'billing', message: 'hello' }),
    })

  test('makes the ask a part of the trace of its sender, who gets the span of the ask back', async () => {
    const response = await send(`00-${traceId}-${spanId}-01`)
    await response.json()
    const isOurs = (span: Span) => span.traceId === traceId
    await eventually(() => collector.spans.some(isOurs), 'the trace is sent')
    const span = collector.spans.find((each) => isOurs(each) && each.name === 'invoke_agent billing')!
    expect(span.parentSpanId).toBe(spanId)
    expect(response.headers.get('traceparent')).toBe(`00-${traceId}-${span.spanId}-01`)
  })

  test('that is not sampled is answered so, and nothing of it is sent', async () => {
    const [unsampled, sampled] = ['fe'.repeat(16), 'ef'.repeat(16)]
    const response = await send(`00-${unsampled}-${spanId}-00`)
    await response.json()
    expect(response.headers.get('traceparent')).toMatch(new RegExp(`^00-${unsampled}-[0-9a-f]{16}-00$`))
    // A later version of the header, whose first four fields are the known ones. It is sent after the other one.
    await (await send(`01-${sampled}-${spanId}-01-more`)).json()
    await eventually(() => collector.spans.some((span) => span.traceId === sampled), 'the later trace is sent')
    expect(collector.spans.filter((span) => span.traceId === unsampled)).toEqual([])
  })

  test('comes in and goes out by MCP too', async () => {
    const response = await fetch(`http://127.0.0.1:${iris.port}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${iris.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'send_message',
          arguments: { toTeam: 'billing', message: 'hello' },
          _meta: { traceparent: `00-${traceId}-${'ab'.repeat(8)}-01` },
        },
      }),
    })
    const text = await response.text()
    const isOurs = (span: Span) => span.parentSpanId === 'ab'.repeat(8)
    const span = await eventually(() => collector.spans.find(isOurs), 'the trace is sent')
    expect(span).toMatchObject({ traceId, name: 'invoke_agent billing' })
    expect(text).toContain(`"_meta":{"traceparent":"00-${traceId}-${span.spanId}-01"}`)
  })

  test.each([`00-${'0'.repeat(32)}-${spanId}-01`, 'ff-x', `00-${traceId}-${spanId}-01`.repeat(50), "' OR 1 --"])(
    'that is none is left out: %s',
    async (traceparent) => {
      const response = await send(traceparent)
      const { turnId } = (await response.json()) as { turnId: string }
      expect(response.headers.get('traceparent')).toContain(turnId.replaceAll('-', ''))
      expect(iris.rows(`SELECT * FROM turn_traces WHERE turn = '${turnId}'`)).toEqual([])
    },
  )
})

test('a collector that refuses costs no message anything; it is counted and sent again later', async () => {
  collector.status = 503
  const before = collector.headers.length
  expect(await ask(iris, 'billing', 'one')).toMatchObject({ status: 'completed' })
  await eventually(() => collector.headers.length > before, 'it was tried')
  collector.status = 200
  const { turnId } = await ask(iris, 'billing', 'two')
  await eventually(() => collector.spans.some((span) => attribute(span, 'iris.turn.id') === turnId), 'it is sent again')
})

test('a flood drops turns with a count, a killed thread and a wrong store end nothing', async () => {
  const clock = new FakeClock()
  const log = createLog({ least: () => 'error' })
  const work = { store: '/nonexistent/store.db', endpoint, headers: {} }
  const traces = new TraceExport(work, clock, log)
  for (let n = 0; n < 10_000; n++) traces.add(`turn-${n}`)
  expect(traces.counts).toEqual({ sent: 0, dropped: 10_000 - 4096 })
  await clock.advance(2000)
  await eventually(() => traces.counts.dropped > 10_000 - 4096, 'the thread has ended, its turns are counted')
  expect(traces.counts.sent).toBe(0)
  await traces.close()
})

test('a thread that is killed while it sends loses that batch with a count, and the next one is sent', async () => {
  const [clock, threads] = [new FakeClock(), [] as Worker[]]
  const seen = (thread: Worker): unknown => threads.push(thread)
  process.on('worker', seen)
  const work = { store: join(iris.world.home, 'data/team-sessions.db'), endpoint, headers: {} }
  const traces = new TraceExport(work, clock, createLog({ least: () => 'error' }))
  const unsampled = "SELECT turn FROM turn_traces WHERE traceparent LIKE '%-00'"
  const settled = `SELECT id FROM turns WHERE state = 'settled' AND id NOT IN (${unsampled})`
  const ids = iris.rows(settled).map(({ id }) => String(id))
  const before = collector.headers.length
  collector.isHeld = true
  for (const id of ids) traces.add(id)
  await clock.advance(2000)
  await eventually(() => collector.headers.length > before, 'it sends')
  await threads[0]!.terminate()
  await eventually(() => traces.counts.dropped === ids.length, 'they are counted')
  collector.isHeld = false
  for (const id of ids) traces.add(id)
  await clock.advance(2000)
  await eventually(() => traces.counts.sent === ids.length, 'the next batch is sent')
  process.off('worker', seen)
  expect(threads).toHaveLength(2)
  await traces.close()
})

test('the page of a message links to its trace in the viewer of the user', { tags: ['thorough'] }, async () => {
  const { turnId } = await ask(iris, 'billing', 'shown')
  await using browser = await TestBrowser.start()
  await using tab = await browser.open(iris, { path: `/traces/${turnId}` })
  const link = tab.page.locator(`a[href="http://127.0.0.1:16686/trace/${turnId.replaceAll('-', '')}"]`)
  await count(link, 1)
})

test('switched off, nothing is sent; switched on again, what is asked then is', { tags: ['thorough'] }, async () => {
  await save({})
  const off = await ask(iris, 'billing', 'three')
  await save(traced())
  const on = await ask(iris, 'billing', 'four')
  const isSent = (turnId: string) => collector.spans.some((span) => attribute(span, 'iris.turn.id') === turnId)
  await eventually(() => isSent(on.turnId), 'the later one is sent')
  expect(isSent(off.turnId)).toBe(false)
})
