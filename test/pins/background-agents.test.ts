import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import type { Cli, Line } from '../../src/app/probe/cli.ts'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const flow =
  "export const meta = { name: 'look', description: 'look around', phases: [] }\nreturn await agent('work on it')"
const uses = {
  workflow: { name: 'Workflow', input: { script: flow } },
  watch: { name: 'Monitor', input: { command: 'echo tick; sleep 600', description: 'ticks', timeout_ms: 60_000 } },
  bash: { name: 'Bash', input: { command: 'sleep 600', run_in_background: true } },
}

const script: Script = ({ conversation: { lastUserText, step } }) => {
  if (lastUserText.includes('<event>')) return { text: 'an event' }
  if (lastUserText.includes('<task-notification>')) return { text: 'reported' }
  if (lastUserText.includes('work on it') && step === 0) {
    return { toolUses: [{ name: 'Bash', input: { command: 'sleep 1', description: 'looks' } }] }
  }
  if (lastUserText.includes('work on it')) return { text: 'FOUND' }
  const use = uses[lastUserText as keyof typeof uses]
  return use && step === 0 ? { toolUses: [use] } : { text: `said to ${lastUserText}` }
}

describe.each(claudeVersions)('what Claude Code %s always runs in the background', (version) => {
  let world: PinWorld
  let cli: Cli
  const sessionId = crypto.randomUUID()
  const host = pipeHost()
  beforeAll(async () => {
    world = await pinWorld(version, script)
    cli = world.start({ answer: host.answer, args: ['--session-id', sessionId] })
    await cli.request(initialize)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const of = (lines: readonly Line[], subtype: string) => lines.filter((line) => String(line.subtype) === subtype)
  const idle = { subtype: 'session_state_changed', state: 'idle' }
  const killed = { subtype: 'task_updated', patch: { status: 'killed' } }
  /** What the transcript notes of the launch. */
  const launch = async (part: object) => {
    const launched = () => world.transcript(sessionId).map((line) => line['toolUseResult'])
    return eventually(
      () => launched().some((outcome) => expect.objectContaining(part).asymmetricMatch(outcome)),
      'a launch',
    )
  }

  test('a workflow: launched, its agent asks the hook under an id of its own, and it reports in a turn nobody asked for', async () => {
    const since = cli.lines.length
    const own = await cli.turn('workflow')
    expect(own.at(-1)).toMatchObject({ result: 'said to workflow' })
    const report = await cli.line({ type: 'result', result: 'reported' }, since)
    expect(report).toMatchObject({ origin: { kind: 'task-notification' } })
    const lines = cli.lines.slice(since)
    const [started] = of(lines, 'task_started')
    expect(started).toMatchObject({ task_type: 'local_workflow', tool_use_id: expect.stringMatching(/^toolu_/) })
    const inner = host.asked.find(({ input }) => String(input?.tool_name) === 'Bash')!
    expect(inner.input).toMatchObject({ agent_type: 'workflow-subagent' })
    const agents = of(lines, 'task_progress').flatMap((line) => (line['workflow_progress'] ?? []) as unknown as Line[])
    expect(agents).toContainEqual(expect.objectContaining({ agentId: inner.input!['agent_id'] }))
    // Nothing of what its agents say or do is printed.
    expect(lines.filter((line) => typeof line['parent_tool_use_id'] === 'string')).toEqual([])
    await launch({ status: 'async_launched', taskId: String(started!.task_id) })
    await cli.line(idle, cli.lines.indexOf(report))
  })

  test('an interrupt stops a workflow, and no result follows', async () => {
    const since = cli.lines.length
    await cli.turn('workflow')
    const before = cli.lines.length
    await cli.request({ subtype: 'interrupt' })
    await cli.line(killed, since)
    await cli.line(idle, since)
    expect(cli.lines.slice(before).filter(({ type }) => String(type) === 'result')).toEqual([])
  })

  test('a command is stopped by stop_task, and its state says so', async () => {
    const since = cli.lines.length
    const [started] = of(await cli.turn('bash'), 'task_started')
    expect(started).toMatchObject({ task_type: 'local_bash' })
    await cli.request({ subtype: 'stop_task', task_id: started!.task_id })
    await cli.line({ ...killed, task_id: started!.task_id }, since)
  })

  /** Its events are turns, an interrupt leaves it, stop_task ends it. */
  const monitored = async (): Promise<void> => {
    const since = cli.lines.length
    const [started] = of(await cli.turn('watch'), 'task_started')
    expect(started).toMatchObject({ task_type: 'local_bash', is_backgrounded: true })
    await launch({ taskId: String(started!.task_id), timeoutMs: 60_000 })
    const event = await cli.line({ type: 'result', result: 'an event' }, since)
    await cli.line(idle, cli.lines.indexOf(event))
    await cli.request({ subtype: 'interrupt' })
    expect(of(cli.lines.slice(since), 'task_updated')).toEqual([])
    await cli.request({ subtype: 'stop_task', task_id: started!.task_id })
    await cli.line({ ...killed, task_id: started!.task_id }, since)
  }
  const notOffered = async (): Promise<void> => {
    expect(of(await cli.turn('watch'), 'task_started')).toEqual([])
  }

  test('a Monitor, which an interrupt leaves and stop_task ends; the older one offers none', async () => {
    const look = { '2.1.330': monitored, '2.1.197': notOffered }[version]
    await expect(look()).resolves.toBeUndefined()
  })
})
