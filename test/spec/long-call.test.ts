import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import { type Script, stepwise } from '../../src/app/demo/script.ts'
import { holds } from '../../src/app/probe/cli.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { pinWorld } from '../support/pin-world.ts'
import { spoken } from '../support/world.ts'

/** Longer than the 60 s of real time after which Claude Code gives up a call that has not answered by a byte. No setting shortens that. */
const workMs = 63_000

/** What the model works on, by the message. */
const works = new Map<string, { readonly done: Promise<void> }>()

const slow: Script = async ({ conversation, signal }) => {
  const message = spoken(conversation.lastUserText)
  const done = delay(workMs, undefined, { signal })
  works.set(message, { done })
  await done
  return { text: `at last: ${message}` }
}

/** What the tool call of the real Claude Code came back with, when it asks backend through this MCP server. */
async function askThrough(server: object, fromTeam: string): Promise<unknown> {
  const message = `from ${fromTeam}`
  const input = { toTeam: 'backend', fromTeam, message, timeout: 0 }
  await using asker = await pinWorld(
    '2.1.330',
    stepwise({ toolUses: [{ name: 'mcp__iris__send_message', input }] }, ({ conversation }) => ({
      text: conversation.toolResults[0]!.text,
    })),
  )
  const cli = asker.start({ args: ['--mcp-config', JSON.stringify({ mcpServers: { iris: server } })] })
  cli.say('ask backend')
  const ended = () => cli.lines.find((line) => holds(line, { type: 'result' }))
  await (await eventually(() => works.get(message), 'the model is at work')).done
  const { result } = await eventually(ended, 'the result')
  return JSON.parse(String(result))
}

test(
  'a call of over a minute made by the real Claude Code comes back with its answer, over HTTP and through the bridge',
  async () => {
    await using iris = await TestIris.start({ claude: 'fake', script: slow })
    const url = `http://127.0.0.1:${iris.port}/mcp`
    const http = { type: 'http', url, headers: { Authorization: `Bearer ${iris.token}` } }
    const bridge = {
      command: process.execPath,
      args: nodeArguments('mcp'),
      env: { IRIS_HOME: iris.world.home },
    }
    const answers = await Promise.all([askThrough(http, 'frontend'), askThrough(bridge, 'mobile')])
    expect(answers).toMatchObject([
      { status: 'completed', from: 'frontend', response: 'at last: from frontend' },
      { status: 'completed', from: 'mobile', response: 'at last: from mobile' },
    ])
  },
  workMs + 120_000,
)
