import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import type { Cli, Line } from '../../src/app/probe/cli.ts'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const agent = (prompt: string) => ({
  name: 'Agent',
  input: { description: `do ${prompt}`, prompt, subagent_type: 'general-purpose', run_in_background: true },
})

/** `foreground …` has the hook change the input, `background …` leaves it. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  if (lastUserText.includes('<task-notification>')) return { text: 'reported' }
  if (lastUserText === 'look' && step === 0) {
    return { toolUses: [{ name: 'Bash', input: { command: 'sleep 1', description: 'looks' } }] }
  }
  if (lastUserText === 'look') return { text: 'FOUND' }
  if (lastUserText.startsWith('plain')) return { text: 'plain' }
  if (step === 0) return { toolUses: [agent('look')] }
  return { text: toolResults[0]!.text.includes('FOUND') ? 'whole' : 'launched' }
}

describe.each(claudeVersions)('subagents of Claude Code %s', (version) => {
  let world: PinWorld
  let cli: Cli
  let inForeground = false
  const host = pipeHost()
  beforeAll(async () => {
    world = await pinWorld(version, script)
    host.hook = ({ input }) => {
      if (!inForeground || String(input?.tool_name) !== 'Agent') return { continue: true }
      const updatedInput = { ...input?.tool_input, run_in_background: false }
      return { continue: true, hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } }
    }
    cli = world.start({ answer: host.answer })
    await cli.request(initialize)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const is = (subtype: string) => (line: Line) => String(line.subtype) === subtype
  const idle = { subtype: 'session_state_changed', state: 'idle' }
  const resultsSince = (since: number) => cli.lines.slice(since).filter(({ type }) => String(type) === 'result')

  test('an input that the hook changes, without a decision, runs in the foreground and asks nobody', async () => {
    inForeground = true
    const since = cli.lines.length
    const lines = await cli.turn('foreground')
    inForeground = false
    expect(lines.at(-1)).toMatchObject({ result: 'whole' })
    await cli.line(idle, since + lines.length)
    expect(resultsSince(since)).toHaveLength(1)
    expect(host.asked.filter(({ subtype }) => String(subtype) === 'can_use_tool')).toEqual([])
    const started = lines.find(is('task_started'))
    expect(started).toMatchObject({ task_type: 'local_agent', description: 'do look', tool_use_id: expect.any(String) })
    const inner = host.asked.find(({ input }) => String(input?.tool_name) === 'Bash')
    expect(inner?.input).toMatchObject({ agent_id: started!.task_id })
    expect(lines.find(is('task_progress'))).toMatchObject({ description: 'Running looks', usage: { tool_uses: 1 } })
  })

  test('in the background: the first result is not the last word, rest comes after the turn that reports', async () => {
    const since = cli.lines.length
    await cli.turn('background')
    await cli.until(() => (resultsSince(since).length === 2 ? true : undefined), 'a second result')
    const [own, report] = resultsSince(since)
    expect([own, report]).toMatchObject([
      { result: 'launched' },
      { result: 'reported', origin: { kind: 'task-notification' } },
    ])
    await cli.line(idle, cli.lines.indexOf(report!))
    const lines = cli.lines.slice(since)
    const at = (found: (line: Line) => boolean) => lines.findIndex(found)
    const firstIdle = at((line) => is('session_state_changed')(line) && String(line.state) === 'idle')
    // The older one rests while its agent works.
    expect(firstIdle > lines.indexOf(report!)).toBe({ '2.1.330': true, '2.1.197': false }[version])
    expect(at(is('task_updated'))).toBeLessThan(lines.indexOf(report!))
    const listed = lines.filter(is('background_tasks_changed')).map(({ tasks }) => (tasks as unknown as []).length)
    expect(listed).toEqual({ '2.1.330': [1, 0], '2.1.197': [] }[version])
  })

  test('interrupted while an agent works in the background: that is stopped, and no result follows', async () => {
    const since = cli.lines.length
    await cli.turn('background again')
    await cli.line({ subtype: 'task_progress' }, since)
    const before = cli.lines.length
    await cli.request({ subtype: 'interrupt' })
    await cli.line({ subtype: 'task_updated', patch: { status: 'killed' } }, before)
    await cli.line(idle, before)
    expect(resultsSince(before)).toEqual([])
    expect((await cli.turn('plain')).at(-1)).toMatchObject({ result: 'plain' })
  })
})
