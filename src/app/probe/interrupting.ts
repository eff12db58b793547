import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tagVariable } from '../../platform/machine/process-tag.ts'
import { type Script, stepwise } from '../demo/script.ts'
import { type Cli, difference, holds } from './cli.ts'
import { initialize, pipeHost } from './pipe-host.ts'
import type { Play, Scene } from './scene.ts'

/**
 * If the message is a path, runs a tool that writes its process tag there and then sleeps; if the message is `hang`,
 * stalls.
 */
const script: Script = (request) => {
  const { lastUserText } = request.conversation
  if (lastUserText === 'hang') return { stall: 'started' }
  const answer = { text: `answer to ${lastUserText}` }
  if (!lastUserText.startsWith('/')) return answer
  // Claude Code 2.1.330 refuses a command that only sleeps.
  const command = `echo "$${tagVariable}" > ${lastUserText}.new; mv ${lastUserText}.new ${lastUserText}; sleep 60`
  return stepwise({ toolUses: [{ name: 'Bash', input: { command } }] }, answer)(request)
}

/** Requests during a turn, its interruption, a withdrawn message, and the end of a process in the middle of a tool. */
export const interrupting: Scene = {
  clauses: ['end.tag', 'control.alive', 'control.interrupt', 'control.withdraw', 'end.busy'],
  script,
  async play(play) {
    const { check } = play
    const cli = play.start({ answer: pipeHost().answer })
    await cli.request(initialize)
    const since = cli.lines.length
    const tagFile = await working(play, cli, 'first')
    await check('end.tag', async () => {
      return readFileSync(tagFile, 'utf8').trim() === '' ? 'what the tool starts does not have it' : undefined
    })
    await check('control.alive', async () => {
      return difference(await cli.request({ subtype: 'get_context_usage' }), {
        totalTokens: Number.isFinite,
        maxTokens: Number.isFinite,
      })
    })
    await check('control.interrupt', async () => {
      await cli.request({ subtype: 'interrupt' })
      const result = await cli.line({ type: 'result' }, since, 'result of what was interrupted')
      const next = (await cli.turn('next')).at(-1)
      return difference([result, next], [{ is_error: true }, { is_error: false, result: 'answer to next' }])
    })
    await check('control.withdraw', () => withdrawn(play, cli))
    await check('end.busy', () => endedWhileBusy(play))
  },
}

/** Has the CLI run a tool. Resolves with the file of the tool's process tag once it runs. */
async function working({ world, appears }: Play, cli: Cli, name: string): Promise<string> {
  const path = join(world.project, name)
  cli.say(path)
  return appears(() => existsSync(path) && path, 'the beginning of a tool')
}

async function withdrawn({ world, appears }: Play, cli: Cli): Promise<string | undefined> {
  const since = cli.lines.length
  cli.say('hang')
  await appears(() => world.model.requests.recent.at(-1)?.conversation.lastUserText === 'hang', 'question to the model')
  const uuid = cli.say('withdrawn')
  const answer = await cli.request({ subtype: 'cancel_async_message', message_uuid: uuid })
  await cli.request({ subtype: 'interrupt' })
  await cli.line({ type: 'result' }, since)
  await cli.turn('after that')
  if (cli.lines.slice(since).some((line) => holds(line, { isReplay: true, uuid }))) return 'it was worked on'
  return difference(answer, { cancelled: true })
}

async function endedWhileBusy(play: Play): Promise<string | undefined> {
  const cli = play.start({ answer: pipeHost().answer })
  await cli.request(initialize)
  await working(play, cli, 'second')
  void cli.kill('SIGTERM')
  const how = await play.ended(cli)
  return how === 'exit 143' ? undefined : `it ended with ${how}`
}
