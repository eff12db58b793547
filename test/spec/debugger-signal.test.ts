import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

test('a debugger that NODE_OPTIONS or an editor opens is closed, in a daemon and in its commands', async () => {
  await using iris = await Installation.create({ claude: 'fake', teams: ['alpha'] })
  const editor = join(iris.world.root, 'editor.cjs')
  writeFileSync(editor, "require('node:inspector').open(0, '127.0.0.1')\n")
  const env = { NODE_OPTIONS: `--require ${editor}` }
  const { stderr } = await iris.startDaemon({ env })
  const [, address = ''] = /ws:\/\/([^/]+)/.exec(stderr) ?? []
  await expect(fetch(`http://${address}/json/list`)).rejects.toThrow('fetch failed')
  expect(stderr).toContain("iris: closed Node's debugger")
  expect(await iris.run(['status'], { env })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("iris: closed Node's debugger"),
  })
})
