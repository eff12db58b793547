import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { git, makeRepository } from '../support/git.ts'
import { asOwner } from '../support/owner.ts'
import { type RemoteWorld, startRemoteWorld } from '../support/remote-world.ts'
import { spoken } from '../support/world.ts'

let world: RemoteWorld
let project: string
let answers = 0

/** "read a.ts" reads the file; each answer is another one. */
const script: Script = ({ conversation: { lastUserText, step } }) => {
  const [verb, name = ''] = spoken(lastUserText).split(' ')
  if (verb === 'read' && step === 0) return { toolUses: [{ name: 'Read', input: { file_path: join(project, name) } }] }
  answers += 1
  return { text: `answer ${answers}` }
}

beforeAll(async () => {
  world = await startRemoteWorld({ script }, { grantPermission: 'yes', dangerous: true })
  project = world.host.directory('backend')
  for (const name of ['a.ts', 'b.ts']) writeFileSync(join(project, name), 'one\n')
  makeRepository(project)
})
afterAll(() => world[Symbol.asyncDispose]())

test('a file that changes on another machine is noticed, by ssh', async () => {
  const { iris } = world
  const to = { fromTeam: 'frontend', fresh: 'ifChanged' }
  const { turnId } = await ask(iris, 'backend', 'read a.ts', to)
  const drift = async () => (await asOwner(iris, 'list_drift', { team: 'backend' }))['changed'] as object[]
  expect(await drift()).toEqual([])
  writeFileSync(join(project, 'a.ts'), 'two\n')
  git(project, '-c', 'user.name=Somebody', 'commit', '--quiet', '--all', '--message=second')
  const commit = git(project, 'rev-parse', 'HEAD').trim()
  expect(await drift()).toMatchObject([{ path: 'a.ts', commit, author: 'Somebody', turnId }])
  const { changedSince, ...next } = await ask(iris, 'backend', 'and now?', to)
  expect(changedSince).toMatchObject([{ path: 'a.ts', turnId }])
  expect(next).not.toHaveProperty('kept')
})

test('an answer is kept there too, until what it relies on changes', async () => {
  const { iris } = world
  const to = { fromTeam: 'mobile', fresh: 'ifChanged' }
  const first = await ask(iris, 'backend', 'read b.ts', to)
  await iris.event('turn-settled', ({ turnId }) => turnId === first.turnId)
  await iris.daemon.parts.keptAnswers.noted()
  expect(await ask(iris, 'backend', 'read b.ts', to)).toMatchObject({ turnId: first.turnId, kept: expect.anything() })
  writeFileSync(join(project, '..', 'CLAUDE.md'), 'above\n')
  expect((await ask(iris, 'backend', 'read b.ts', to)).turnId).not.toBe(first.turnId)
})
