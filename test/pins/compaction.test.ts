import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverFailure } from '../../src/app/demo/script.ts'
import { type Cli, type Line } from '../../src/app/probe/cli.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const summary = 'WHAT WAS SAID'

describe.each(claudeVersions)('a long conversation of Claude Code %s', (version) => {
  let world: PinWorld
  let cli: Cli
  let fails = false
  const sessionId = crypto.randomUUID()
  const first = crypto.randomUUID()
  beforeAll(async () => {
    world = await pinWorld(
      version,
      ({ conversation: { lastUserText, step } }) => {
        if (lastUserText === 'fill') return { text: 'answer', inputTokens: 990_000 }
        if (lastUserText !== 'with a tool') return { text: 'answer', inputTokens: 150_000 }
        const toolUses = [{ name: 'Read', input: { file_path: '/dev/null' } }]
        return step === 0 ? { toolUses, inputTokens: 5000 } : { text: 'answer', inputTokens: 20_000 }
      },
      () => (fails ? serverFailure : { text: `<analysis>-</analysis>\n<summary>${summary}</summary>` }),
    )
    cli = world.start({ args: ['--session-id', sessionId], answer: () => ({ behavior: 'deny', message: 'no' }) })
    await cli.turn('one', first)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const usage = () => cli.request({ subtype: 'get_context_usage' })
  const lastUsage = (lines: readonly Line[]) =>
    Number(lines.findLast((line) => String(line.type) === 'assistant')?.message?.usage?.cache_read_input_tokens)

  test('get_context_usage says the input of the last call and the window of the result', async () => {
    const lines = await cli.turn('two')
    const { totalTokens, maxTokens, model } = await usage()
    expect(totalTokens).toBe(150_000)
    expect(lastUsage(lines)).toBe(150_000)
    expect(lines.find(({ subtype }) => String(subtype) === 'init')?.model).toBe(model)
    expect(lines.at(-1)?.modelUsage?.[String(model)]?.contextWindow).toBe(maxTokens)
  })

  test('the usage of a result is the sum of its calls, that of the last assistant line is what counts', async () => {
    const lines = await cli.turn('with a tool')
    expect(lines.at(-1)?.usage).toMatchObject({ cache_read_input_tokens: 25_000 })
    expect(lastUsage(lines)).toBe(20_000)
    expect((await usage()).totalTokens).toBe(20_000)
  })

  test('a compaction that fails ends in a result that is no error; a status line says why', async () => {
    fails = true
    const lines = await cli.turn('/compact')
    fails = false
    expect(lines.at(-1)).toMatchObject({ type: 'result', subtype: 'success', is_error: false, num_turns: 0 })
    expect(lines.find((line) => line.compact_error)).toMatchObject({
      type: 'system',
      subtype: 'status',
      compact_result: 'failed',
      compact_error: expect.stringContaining('API Error: 500'),
    })
    expect(lines.some(({ subtype }) => String(subtype) === 'compact_boundary')).toBe(false)
  })

  test('one that works prints its init late, then the boundary and the summary', async () => {
    await cli.turn('three')
    const lines = await cli.turn('/compact')
    const at = (fits: (line: Line) => boolean) => lines.findIndex(fits)
    const boundary = at(({ subtype }) => String(subtype) === 'compact_boundary')
    expect(at(({ compact_result }) => String(compact_result) === 'success')).toBeGreaterThanOrEqual(0)
    expect(at(({ subtype }) => String(subtype) === 'init')).toBeLessThan(boundary)
    const said = lines.slice(boundary).find((line) => line.isSynthetic)
    expect(said).toMatchObject({ type: 'user', isReplay: false })
    const content = said?.message?.content
    const text = typeof content === 'string' ? content : String(content?.[0]?.text)
    expect(text).toContain(`\nSummary:\n${summary}\n\nIf you need specific details from before compaction`)
    const { compact_metadata } = lines[boundary]!
    expect(Number(compact_metadata?.pre_tokens)).toBeGreaterThan(150_000)
    expect(Number(compact_metadata?.post_tokens)).toBeLessThan(Number((await usage()).totalTokens))
  })

  test('a conversation of one exchange is too short for 2.1.197', async () => {
    const short = world.start()
    await short.turn('one')
    const error = (await short.turn('/compact')).find((line) => line.compact_error)?.compact_error
    expect(error).toBe({ '2.1.330': undefined, '2.1.197': 'Not enough messages to compact.' }[version])
  })

  test('nearly at the end of the window 2.1.330 compacts by itself, within the next turn', async () => {
    const full = world.start()
    for (const text of ['one', 'two', 'fill']) await full.turn(text)
    const lines = await full.turn('next')
    const boundary = lines.find(({ subtype }) => String(subtype) === 'compact_boundary')
    expect(boundary?.compact_metadata?.trigger).toBe({ '2.1.330': 'auto', '2.1.197': undefined }[version])
    expect(lines.at(-1)).toMatchObject({ result: 'answer' })
  })

  test('the transcript keeps what was said before, and says so under the old uuids', async () => {
    await eventually(() => world.transcript(sessionId).some((line) => line.isCompactSummary), 'the summary on disk')
    const kept = world.transcript(sessionId).filter(({ uuid }) => String(uuid) === first)
    expect(kept).toMatchObject([{ type: 'user', message: { content: [{ text: 'one' }] } }])
  })
})
