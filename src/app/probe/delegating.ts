import { startedTool } from '../../claude/driver/control-channel.ts'
import { foregroundInput } from '../../claude/driver/synchronous-agents.ts'
import type { Script } from '../demo/script.ts'
import { type Cli, difference, holds } from './cli.ts'
import { initialize, pipeHost } from './pipe-host.ts'
import type { Play, Scene } from './scene.ts'

const agent = {
  name: 'Agent',
  input: { description: 'looks', prompt: 'look', subagent_type: 'general-purpose', run_in_background: true },
}

/**
 * The subagent's work lasts longer than the turn that started it in the background; otherwise its report would be part
 * of that turn.
 */
const work = { name: 'Bash', input: { command: 'sleep 0.5' } }

/** Starts a subagent, and answers whether its result was there at once. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  if (lastUserText.startsWith('<task-notification>')) return { text: 'reported' }
  if (lastUserText === 'look') return step === 0 ? { toolUses: [work] } : { text: 'FOUND' }
  if (step === 0) return { toolUses: [agent] }
  return { text: toolResults[0]?.text.includes('FOUND') ? 'found' : 'launched' }
}

/** Subagents in the foreground, where Iris runs them, and in the background. */
export const delegating: Scene = {
  clauses: ['subagents.foreground', 'subagents.announced', 'subagents.idle'],
  script,
  async play(play) {
    const { check } = play
    await check('subagents.foreground', () => inForeground(play))
    const cli = play.start({ answer: pipeHost().answer })
    await cli.request(initialize)
    await cli.turn('delegate')
    const report = await cli.line({ type: 'result', result: 'reported' }, 0, 'turn that reports')
    await check('subagents.announced', () => announced(cli, cli.lines.indexOf(report)))
    await check('subagents.idle', async () => {
      await cli.line(idle, cli.lines.indexOf(report), 'idle session after the turn that reports')
      return undefined
    })
  },
}

const idle = { subtype: 'session_state_changed', state: 'idle' }

async function inForeground({ start }: Play): Promise<string | undefined> {
  const host = pipeHost()
  host.hook = ({ input }) => {
    const start = { toolName: String(input?.tool_name), input: input?.tool_input }
    return startedTool(true, foregroundInput(start))
  }
  const cli = start({ answer: host.answer })
  await cli.request(initialize)
  const result = (await cli.turn('delegate')).at(-1)
  await cli.kill()
  if (host.asked.some(({ subtype }) => String(subtype) === 'can_use_tool'))
    return 'it asked whether the subagent may run'
  return difference(result, { result: 'found' })
}

async function announced(cli: Cli, report: number): Promise<string | undefined> {
  const [started] = cli.lines.filter((line) => holds(line, { subtype: 'task_started' }))
  if (started === undefined) return 'it did not announce the subagent'
  const facts = { task_type: 'local_agent', tool_use_id: isToolUse }
  const ended = { subtype: 'task_updated', task_id: started.task_id, patch: { status: 'completed' } }
  if (!cli.lines.slice(0, report).some((line) => holds(line, ended))) return 'it did not announce its end'
  return difference(started, facts)
}

function isToolUse(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('toolu_')
}
