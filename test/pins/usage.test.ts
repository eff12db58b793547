import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stepwise } from '../../src/app/demo/script.ts'
import { type Line } from '../../src/app/probe/cli.ts'
import { isRecord } from '../../src/base/lib/is-record.ts'
import { TokenMeter } from '../../src/claude/driver/token-meter.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const command = { name: 'Bash', input: { command: 'ls', description: 'look' } }

/** The usage that a kind of line carries, one for each call of the model. */
function usages(lines: readonly Line[], usageOf: (line: Line) => unknown): Record<string, unknown>[] {
  return lines.map(usageOf).filter(isRecord)
}

describe.each(claudeVersions)('the usage that Claude Code %s tells while a turn of two calls runs', (version) => {
  let world: PinWorld
  let lines: readonly Line[]
  beforeAll(async () => {
    world = await pinWorld(
      version,
      stepwise({ toolUses: [command] }, () => ({ text: 'done' })),
    )
    const cli = world.start()
    await cli.request({ subtype: 'initialize' })
    lines = await cli.turn('look')
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('is whole when a call ends, and a part of it when it begins', () => {
    const ends = usages(lines, ({ event }) => String(event?.type) === 'message_delta' && event?.usage)
    const begins = usages(lines, ({ type, message }) => String(type) === 'assistant' && message?.usage)
    expect(ends).toHaveLength(2)
    expect(begins.length).toBeGreaterThanOrEqual(2)
    for (const usage of [...ends, ...begins]) expect(usage['input_tokens']).toEqual(expect.any(Number))
    for (const usage of ends) expect(usage['output_tokens']).toEqual(expect.any(Number))
  })

  test('is, added up, that of the result', () => {
    const meter = new TokenMeter()
    for (const line of lines) meter.take(line as Parameters<TokenMeter['take']>[0])
    const result = lines.findLast(({ type }) => String(type) === 'result')
    const parts = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const
    expect(meter.tokens).toBe(parts.reduce((sum, part) => sum + Number(result?.usage?.[part]), 0))
    expect(meter.tokens).toBeGreaterThan(0)
  })
})
