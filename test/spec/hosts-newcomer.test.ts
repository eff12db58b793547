import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Program } from '../support/program.ts'
import { loginOf } from '../support/remote-world.ts'
import { startSshHost } from '../support/ssh-host.ts'
import { createWorld } from '../support/world.ts'

test('the steps of the guide: a team is added, doctor looks at its machine, and it answers', async () => {
  await using world = await createWorld({ teams: {}, script: () => ({ text: 'three containers run' }) })
  await using host = await startSshHost()
  host.writeProfile(loginOf(world.model.url))
  const path = host.directory('containers')
  const env = { ...world.env, IRIS_HOME: world.home }
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await new Program(words, { cwd: world.root, env }).ended
    return { code, said: `${stdout}${stderr}` }
  }
  expect(await run('add-team', '--remote', host.remote, path)).toMatchObject({ code: 0 })
  expect(readFileSync(join(world.home, 'config.yaml'), 'utf8')).toContain(`remote: ${host.remote}`)
  expect((await run('doctor')).said).toMatch(/containers on inanna: Claude Code 2\.1\.330/)
  expect(await run('start', '--background')).toMatchObject({ code: 0 })
  await using _stopped = { [Symbol.asyncDispose]: () => run('stop').then(() => {}) }
  expect(await run('ask', 'containers', 'which containers run?')).toMatchObject({
    code: 0,
    said: expect.stringContaining('three containers run'),
  })
  expect((await run('status')).said).toContain('containers')
})
