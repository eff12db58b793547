import { afterEach, expect, test } from 'vitest'
import { deferred } from '../../base/lib/deferred.ts'
import { heldText, overloadedFailure, type Script, stepwise } from './script.ts'
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts'

interface Event {
  readonly type: string
  readonly delta?: { readonly text?: string; readonly partial_json?: string; readonly stop_reason?: string }
  readonly content_block?: { readonly type: string; readonly name?: string }
  readonly message?: { readonly usage: Record<string, number> }
}

const started: ScriptedModel[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((model) => model.close()))
})

async function start(script: Script): Promise<ScriptedModel> {
  const model = await startScriptedModel({ script })
  started.push(model)
  return model
}

const hello = {
  model: 'claude-test',
  tools: [{ name: 'Read' }],
  messages: [{ role: 'user', content: 'hello' }] as unknown[],
}

function post(model: ScriptedModel, body: unknown, path = '/v1/messages', signal = AbortSignal.timeout(10_000)) {
  return fetch(model.url + path, { method: 'POST', body: JSON.stringify(body), signal })
}

async function* eventsOf(response: Response): AsyncGenerator<Event> {
  let rest = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + chunk).split('\n\n')
    rest = frames.pop()!
    for (const frame of frames) yield JSON.parse(frame.split('\ndata: ')[1]!)
  }
}

async function streamed(model: ScriptedModel, body: object = hello): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of eventsOf(await post(model, { ...body, stream: true }))) events.push(event)
  return events
}

test('a text is streamed as one block in several deltas', async () => {
  const text = 'One sentence that does not fit in a single piece \u{1F33B} of the stream.'
  const events = await streamed(await start(() => ({ text })))
  const deltas = events.flatMap((event) => event.delta?.text ?? [])
  expect(deltas.join('')).toBe(text)
  expect(deltas.length).toBeGreaterThan(2)
  expect(events.filter((event) => event.type !== 'content_block_delta').map((event) => event.type)).toEqual([
    'message_start',
    'ping',
    'content_block_start',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  expect(events.at(-2)?.delta?.stop_reason).toBe('end_turn')
})

test('no piece ends in the middle of a character', async () => {
  const events = await streamed(await start(() => ({ text: `x${'\u{1F33B}'.repeat(100)}` })))
  for (const { delta } of events) expect((delta?.text ?? '').isWellFormed()).toBe(true)
})

test('thinking, text and several tool uses come in this order', async () => {
  const toolUses = [
    { name: 'Read', input: { file_path: 'a' } },
    { name: 'Bash', input: { command: 'true' }, id: 'toolu_given' },
  ]
  const model = await start(() => ({ thinking: 'hm', text: 'I look.', toolUses }))
  const events = await streamed(model)
  expect(events.flatMap((event) => event.content_block?.type ?? [])).toEqual([
    'thinking',
    'text',
    'tool_use',
    'tool_use',
  ])
  expect(events.at(-2)?.delta?.stop_reason).toBe('tool_use')
  const inputs = events.flatMap((event) => event.delta?.partial_json ?? []).join('')
  expect(inputs).toBe('{"file_path":"a"}{"command":"true"}')
  expect(await (await post(model, hello)).json()).toMatchObject({
    stop_reason: 'tool_use',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', name: 'Read', input: { file_path: 'a' }, id: expect.stringMatching(/^toolu_/) },
      { type: 'tool_use', name: 'Bash', id: 'toolu_given' },
    ],
  })
})

test('a held answer stays half-way until its gate opens', async () => {
  const gate = deferred<void>()
  const model = await start(() => ({ stream: heldText('half', gate.promise, ' and half') }))
  const seen: string[] = []
  for await (const { delta } of eventsOf(await post(model, { ...hello, stream: true }))) {
    if (delta?.text !== undefined) seen.push(delta.text)
    if (seen.length === 1) gate.resolve()
  }
  expect(seen).toEqual(['half', ' and half'])
})

test('a failure has its status, its type and the time to wait', async () => {
  const model = await start(() => ({ error: { ...overloadedFailure.error, retryAfterSeconds: 7 } }))
  const response = await post(model, hello)
  expect(response.status).toBe(529)
  expect(response.headers.get('retry-after')).toBe('7')
  expect(await response.json()).toEqual({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
})

test('a text that breaks off in the middle ends in an error event', async () => {
  async function* broken() {
    yield 'half'
    throw new Error('broke')
  }
  const events = await streamed(await start(() => ({ stream: broken() })))
  expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } })
})

test('the script learns when the client has gone, and from a stall as well', async () => {
  const gone = deferred<string>()
  const asked = deferred<void>()
  const model = await start(({ signal }) => {
    asked.resolve()
    signal.addEventListener('abort', () => gone.resolve('gone'))
    return { stall: 'silent' }
  })
  const client = new AbortController()
  const response = post(model, hello, '/v1/messages', client.signal)
  await asked.promise
  client.abort()
  await expect(response).rejects.toThrow('aborted')
  expect(await gone.promise).toBe('gone')
})

test('a stepwise script goes one step further with every round of tool results', async () => {
  const model = await start(
    stepwise({ toolUses: [{ name: 'Read', input: {} }] }, ({ conversation }) => ({
      text: `${conversation.toolResults[0]?.name} said ${conversation.toolResults[0]?.text}`,
    })),
  )
  const first = (await (await post(model, hello)).json()) as { content: { id: string }[] }
  const result = { type: 'tool_result', tool_use_id: first.content[0]?.id, content: 'x' }
  const messages = [
    ...hello.messages,
    { role: 'assistant', content: first.content },
    { role: 'user', content: [result] },
  ]
  expect(await (await post(model, { ...hello, messages })).json()).toMatchObject({ content: [{ text: 'Read said x' }] })
})

test('a prefix that was sent before is read from the cache', async () => {
  const model = await start(() => ({ text: 'ok' }))
  const usageOf = async (body: object) => (await streamed(model, body))[0]!.message!.usage
  const messages = [...hello.messages, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'more' }]
  const marked = [{ role: 'user', content: [{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } }] }]
  expect(await usageOf({ ...hello, messages: marked })).toMatchObject({ cache_read_input_tokens: 0 })
  const second = await usageOf({ ...hello, messages })
  const bare = await usageOf({ ...hello, model: 'another' })
  expect(second.cache_read_input_tokens).toBeGreaterThanOrEqual(
    bare.cache_creation_input_tokens! + bare.input_tokens! - 2,
  )
  const other = await usageOf({ ...hello, messages: [{ role: 'user', content: 'something else' }, ...messages] })
  expect(other.cache_read_input_tokens).toBeLessThan(second.cache_read_input_tokens!)
})

test("Claude Code's own requests do not reach the script", async () => {
  const model = await start(() => ({ text: 'from the script' }))
  const quota = { model: 'claude-test', max_tokens: 1, messages: [{ role: 'user', content: 'quota' }] }
  expect(await (await post(model, quota)).text()).not.toContain('from the script')
  const compact = 'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.'
  const messages = [...hello.messages, { role: 'user', content: compact }]
  expect(await (await post(model, { ...hello, messages })).text()).toContain('<summary>Asked so far: hello</summary>')
  expect(model.requests).toMatchObject({ turns: 0, sideRequests: 2 })
})

test('the record keeps the newest requests only', async () => {
  const model = await start(() => ({ text: 'ok' }))
  for (let n = 0; n < 40; n += 1) await post(model, { ...hello, messages: [{ role: 'user', content: `n${n}` }] })
  expect(model.requests.turns).toBe(40)
  expect(model.requests.recent).toHaveLength(32)
  expect(model.requests.recent.at(-1)?.conversation.lastUserText).toBe('n39')
})

test('tokens are counted, the root answers, the rest is refused', async () => {
  const model = await start(() => ({ text: 'ok' }))
  const counted = (await (await post(model, hello, '/v1/messages/count_tokens')).json()) as { input_tokens: number }
  expect(counted.input_tokens).toBe(Math.ceil(JSON.stringify(hello).length / 4))
  expect((await fetch(model.url, { method: 'HEAD' })).status).toBe(200)
  expect((await post(model, hello, '/v1/other')).status).toBe(404)
  expect((await post(model, { messages: 'none' })).status).toBe(400)
})
