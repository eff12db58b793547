import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { refusedTool, toolToAsk } from '../../claude/driver/control-channel.ts'
import { type Script, stepwise } from '../demo/script.ts'
import { type Cli, difference, type Line } from './cli.ts'
import { initialize, pipeHost } from './pipe-host.ts'
import type { Scene } from './scene.ts'

/** Runs `touch` on the path in the message, and answers with the tool's result. */
export const script: Script = (request) => {
  const command = `touch ${request.conversation.lastUserText}`
  const speak: Script = ({ conversation }) => ({ text: conversation.toolResults[0]?.text ?? '' })
  return stepwise({ toolUses: [{ name: 'Bash', input: { command }, id: newId() }] }, speak)(request)
}

function newId(): string {
  return `toolu_${crypto.randomUUID().replaceAll('-', '')}`
}

/** Permission questions over the pipe, and rules. */
export const asking: Scene = {
  clauses: [
    ...(['permission.question', 'tools.ran', 'permission.denial', 'permission.rule'] as const),
    ...(['permission.handed', 'permission.refused', 'permission.asked'] as const),
  ],
  script,
  async play({ world, check, start }) {
    const host = pipeHost()
    const cli = start({ answer: host.answer })
    await cli.request(initialize)
    const tried = async (name: string) => {
      const [path, since] = [join(world.project, name), host.asked.length]
      const result = (await cli.turn(path)).at(-1)
      const asked = host.asked.slice(since)
      const question = asked.find(({ subtype }) => String(subtype) === 'can_use_tool')
      return { path, result, question, ran: existsSync(path) }
    }
    await check('permission.question', async () => {
      const { path, question, ran } = await tried('allowed')
      if (question === undefined) return ran ? 'it asked nobody and ran the tool' : 'it asked nobody'
      const asked = { tool_name: 'Bash', input: { command: `touch ${path}` }, tool_use_id: aToolUseId }
      return difference(question, asked) ?? (ran ? undefined : 'it did not run what was allowed')
    })
    await check('tools.ran', async () => {
      const { path } = await tried('seen')
      return difference(host.ran.at(-1), { tool_name: 'Bash', tool_input: { command: `touch ${path}` } })
    })
    await check('permission.denial', async () => {
      host.permission = () => ({ behavior: 'deny', message: 'not you' })
      const { result, ran } = await tried('denied')
      return ran ? 'it ran the tool' : difference(result, { is_error: false, result: 'not you' })
    })
    await check('permission.rule', async () => {
      host.hook = () => refusedTool('by a rule')
      const { result, question, ran } = await tried('forbidden')
      if (ran) return 'it ran the tool'
      if (question !== undefined) return 'it asked all the same'
      return String(result?.result).includes('by a rule') ? undefined : 'the model did not get the reason'
    })
    const hand = (...allow: string[]) => apply(cli, { allow })
    await check('permission.handed', async () => {
      host.hook = () => ({ continue: true })
      await hand('Bash(touch *)')
      const covered = await tried('covered')
      if (!covered.ran) return 'it did not run what the rule allows'
      host.hook = async () => {
        await hand()
        return { continue: true }
      }
      return (await tried('withdrawn')).question ? undefined : 'it asked nobody when the rule was withdrawn'
    })
    await check('permission.refused', async () => {
      host.hook = () => ({ continue: true })
      await apply(cli, { deny: ['Bash(touch *)'] })
      const refused = await tried('refused')
      if (refused.ran || refused.question) return 'it did not refuse what the rule denies'
      await apply(cli, { deny: [] })
      return (await tried('no-more-refused')).question ? undefined : 'it asked nobody when the rule was withdrawn'
    })
    await check('permission.asked', async () => {
      await hand('Bash(touch *)')
      host.hook = () => toolToAsk
      return (await tried('asked')).question ? undefined : 'it asked nobody'
    })
  },
}

function apply(cli: Cli, permissions: Readonly<Record<string, readonly string[]>>): Promise<Line> {
  return cli.request({ subtype: 'apply_flag_settings', settings: { permissions } })
}

function aToolUseId(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('toolu_')
}
