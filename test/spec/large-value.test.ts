import { expect, test } from 'vitest'
import type { ModelReply, Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'

const responseSchema = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] }
const gives = (value: unknown) => ({ mcpCall: { name: 'return_value', arguments: { value } } })
const tenMb = 10 * 1024 * 1024

test('a value of 10 MB is refused by its size, another one may follow, and other asks are answered meanwhile', async () => {
  const read = { touchFile: '' }
  using claude = fakeClaude({
    script: (file) => {
      read.touchFile = file('read')
      const big = [gives('x'.repeat(tenMb)), { partial: '{{lastToolResult}}' }, read, { waitForFile: file('go') }]
      return {
        rules: [
          { when: 'All of it', steps: [...big, gives({ port: 1615 }), { text: 'Given.' }] },
          { steps: [gives({ port: 8080 }), { text: 'Given.' }] },
        ],
      }
    },
  })
  const settings = { claudePath: claude.claudePath }
  await using iris = await TestIris.start({ settings, env: claude.env, teams: { backend: {}, frontend: {} } })
  const all = { toTeam: 'backend', message: 'All of it, please.', responseSchema }
  const { turnId } = await callTool(iris, 'quick_message', all)
  const other = await ask(iris, 'frontend', 'Which port?', { responseSchema })
  expect(other).toMatchObject({ status: 'completed', value: { port: 8080 } })
  await eventually(() => claude.exists('read'), 'the refusal is read')
  expect(await ask(iris, 'frontend', 'Which port?', { responseSchema })).toMatchObject({ value: { port: 8080 } })
  const { partialResponse } = await callTool(iris, 'message_status', { turnId })
  expect(partialResponse).toContain(`The value has ${tenMb + 2} bytes; at most 1048576 are allowed.`)
  expect(partialResponse).toContain('Correct it and call return_value again.')
  claude.open('go')
  expect(await callTool(iris, 'message_status', { turnId, timeout: 0 })).toMatchObject({
    status: 'completed',
    value: { port: 1615 },
  })
})

const given = (value: unknown): ModelReply => ({ toolUses: [{ name: 'mcp__iris__return_value', input: { value } }] })

/** A model that answers in 10 MB, and then as it should. It sums up what no longer fits. */
const talks: Script = ({ conversation: { lastUserText, userTexts, toolResults, step } }) => {
  if (step > 0) return toolResults.at(-1)?.text.includes('at most') ? given({ port: 1615 }) : { text: 'Given.' }
  if (!lastUserText.includes('<iris-')) return { text: 'A value was refused by its size.' }
  return given(userTexts.some((text) => text.includes('All of it')) ? 'x'.repeat(tenMb) : { port: 8080 })
}

/** The newest makes the conversation shorter three times, and gives up. */
const thrashing = {
  status: 'failed',
  reason: 'api_error',
  detail: expect.stringContaining('Autocompact is thrashing'),
}
const ends = claudeVersions.map(
  (version, place) => [version, place === 0 ? thrashing : { status: 'completed', value: { port: 1615 } }] as const,
)

test.each(ends)(
  'with Claude Code %s the message ends by itself, and other asks are answered',
  { tags: ['thorough'] },
  async (version, end) => {
    const settings = { claudePath: claudeBinary(version) }
    await using iris = await TestIris.start({ script: talks, settings, teams: { backend: {}, frontend: {} } })
    const all = { toTeam: 'backend', message: 'All of it, please.', responseSchema }
    const { turnId } = await callTool(iris, 'quick_message', all)
    const other = await ask(iris, 'frontend', 'Which port?', { responseSchema })
    expect(other).toMatchObject({ status: 'completed', value: { port: 8080 } })
    expect(await callTool(iris, 'message_status', { turnId, timeout: 0 })).toMatchObject(end)
    expect(await ask(iris, 'frontend', 'Which port?', { responseSchema })).toMatchObject({ value: { port: 8080 } })
  },
)
