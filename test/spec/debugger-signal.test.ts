import { expect, test } from 'vitest'
import { Installation } from '../support/program.ts'

// Any process of the same user can send it, and agents are such processes: the debugger would run their code in the daemon.
test('SIGUSR1 opens no debugger in a daemon', async () => {
  await using iris = await Installation.create({ claude: 'fake', teams: ['alpha'] })
  const daemon = await iris.startDaemon()
  daemon.child.kill('SIGUSR1')
  // It takes longer than Node needs to open the debugger and to say so.
  expect(await iris.run(['tell', 'alpha', 'hello'])).toMatchObject({ code: 0 })
  expect(daemon.stdout + daemon.stderr).not.toMatch(/debugger|inspector/i)
  expect(daemon.child.signalCode).toBeNull()
})
