import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Script, stepwise } from '../demo/script.ts'
import { difference, holds } from './cli.ts'
import { initialize, pipeHost } from './pipe-host.ts'
import type { Scene } from './scene.ts'

const script: Script = (request) => {
  const { lastUserText } = request.conversation
  if (lastUserText.startsWith('<task-notification>')) return { text: 'about the task' }
  const command = `while [ ! -e "${lastUserText}" ]; do sleep 0.05; done`
  const use = { toolUses: [{ name: 'Bash', input: { command, run_in_background: true } }] }
  return stepwise(use, { text: 'it runs' })(request)
}

/** A turn that the CLI begins on its own, because a background task ends while no message is being answered. */
export const unsolicited: Scene = {
  clauses: ['turns.unsolicited'],
  script,
  async play({ world, check, start }) {
    const cli = start({ answer: pipeHost().answer })
    await cli.request(initialize)
    await check('turns.unsolicited', async () => {
      const gate = join(world.project, 'gate')
      await cli.turn(gate)
      const since = cli.lines.length
      writeFileSync(gate, '')
      const result = await cli.line({ type: 'result' }, since, 'result of a turn that nobody asked for')
      if (cli.lines.slice(since).some((line) => holds(line, { isReplay: true }))) return 'it echoes a message in it'
      return difference(result, { result: 'about the task', origin: isThere })
    })
  },
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}
