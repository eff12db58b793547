import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { startContainer } from '../support/container.ts'
import { eventually } from '../support/eventually.ts'
import { hasText } from '../support/has-text.ts'
import { TestIris } from '../support/iris.ts'
import { loginOf } from '../support/remote-world.ts'
import { spoken } from '../support/world.ts'

/** `run <command>` uses Bash; all else is repeated. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const said = spoken(lastUserText)
  if (step > 0) return { text: `It said: ${toolResults.at(-1)?.text ?? ''}` }
  if (said.startsWith('run ')) return { toolUses: [{ name: 'Bash', input: { command: said.slice(4) } }] }
  return { text: `You said: ${said}` }
}

test('a team in a container, entered as docker exec does: its conversation, its tools, and a client that is killed', async () => {
  await using iris = await TestIris.start({ script })
  const { world } = iris
  await using container = await startContainer(loginOf(world.model.url))
  const path = realpathSync(container.directory('web'))
  mkdirSync(path, { recursive: true })
  const web = {
    remote: container.remote,
    path,
    grantPermission: 'yes',
    dangerous: true,
    enableReverseMcp: true,
    sessionMcpEnabled: true,
  }
  world.writeConfig({ teams: { frontend: {}, web } })
  await eventually(() => iris.daemon.parts.config().teams.has('web'), 'the team is in force')
  const fromTeam = 'frontend'
  const first = await ask(iris, 'web', 'run echo $$', { fromTeam })
  // Process ids of its own: they are small.
  expect(Number(/It said: (\d+)/.exec(first.response ?? '')?.[1])).toBeLessThan(1000)
  expect(readdirSync(join(container.home, '.claude/projects'))).toEqual([path.replace(/[^a-zA-Z0-9]/g, '-')])
  // Only ssh has a way back: it is said, and nothing is written.
  expect(existsSync(join(path, '.claude'))).toBe(false)
  await callTool(iris, 'team_sleep', { team: 'web', fromTeam })
  expect(await ask(iris, 'web', 'again', { fromTeam })).toMatchObject({
    sessionId: first.sessionId,
    response: 'You said: again',
  })

  const held = ask(iris, 'web', 'run echo effect >> effects; until [ -e go ]; do sleep 0.1; done; echo done', {
    fromTeam,
  })
  await eventually(() => hasText(join(path, 'effects')), 'the tool runs')
  for (const pid of clientsOf(container.remote)) process.kill(pid, 'SIGKILL')
  writeFileSync(join(path, 'go'), '')
  expect(await held).toMatchObject({ status: 'completed', response: 'It said: done' })
  expect(readFileSync(join(path, 'effects'), 'utf8')).toBe('effect\n')
})

/** The clients of this Iris that entered there. */
function clientsOf(remote: string): number[] {
  const scratch = remote.split('/enter')[0]!
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isClient(pid, scratch))
}

function isClient(pid: number, scratch: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
    return words[0] === 'nsenter' && words.some((word) => word.includes(scratch))
  } catch {
    return false
  }
}
