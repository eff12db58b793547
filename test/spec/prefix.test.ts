import { describe, expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { recordedInput } from '../support/recorded-input.ts'

test('a message sends Claude Code as many bytes after forty others as at first', async () => {
  using fake = fakeClaude({ bare: true })
  const input = recordedInput(fake)
  const settings = { claudePath: input.claudePath, env: { ...fake.env } }
  await using iris = await TestIris.start({ settings })
  await ask(iris, 'backend', 'hello')
  const sent: number[] = []
  for (let turn = 0; turn < 40; turn++) {
    const before = input.messageBytes()
    await ask(iris, 'backend', 'hello')
    sent.push(input.messageBytes() - before)
  }
  expect(sent[0]).toBeGreaterThan('hello'.length)
  expect(new Set(sent).size).toBe(1)
})

describe.each(claudeVersions)('with Claude Code %s', (version) => {
  test('the model is given the same tools in every session, and the same system prompt in those of a team', async () => {
    await using iris = await TestIris.start({ settings: { claudePath: claudeBinary(version) } })
    const asked = async (to: string, args: object) => {
      await ask(iris, to, 'hello', args)
      const { tools, system } = iris.world.model.requests.recent.at(-1)!.body
      if (!Array.isArray(system)) throw new Error('the system prompt is no list of blocks')
      // The CLI's own header carries a sum over the message; it is no part of the prompt.
      const prompt = system.filter(({ text }) => !String(text).startsWith('x-anthropic-billing-header:'))
      return { tools: JSON.stringify(tools), prompt: JSON.stringify(prompt) }
    }
    const first = await asked('backend', {})
    const others = [
      await asked('backend', { thread: 'review' }),
      await asked('backend', { fromTeam: 'frontend' }),
      await asked('backend', {}),
    ]
    expect(first.tools).toContain('mcp__iris__send_message')
    for (const other of others) expect(other).toEqual(first)
    expect((await asked('mobile', {})).tools).toBe(first.tools)
  })
})
