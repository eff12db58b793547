import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import { eventually } from '../support/eventually.ts'
import { Installation, mainFile } from '../support/program.ts'

// Any process of the same user can send it, and agents are such processes: the debugger would run their code in the daemon.
test.each([
  ['as Iris starts it', nodeArguments('start')],
  ['without the options of Node', [mainFile, 'start']],
])('SIGUSR1 opens no debugger in a daemon %s', async (_, words) => {
  await using iris = await Installation.create({ claude: 'fake', teams: ['alpha'] })
  const daemon = spawn(process.execPath, words, {
    cwd: iris.world.root,
    env: iris.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [daemon.stdout, daemon.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await eventually(() => iris.daemon()?.pid === daemon.pid, 'a daemon to serve')
  daemon.kill('SIGUSR1')
  // It takes longer than Node needs to open the debugger and to say so.
  expect(await iris.run(['tell', 'alpha', 'hello'])).toMatchObject({ code: 0 })
  expect(said).not.toMatch(/debugger|inspector/i)
  expect(daemon.signalCode).toBeNull()
})
