import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { git, makeRepository } from '../support/git.ts'
import { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'
import { spoken } from '../support/world.ts'

let iris: TestIris
let project: string
let gate: Promise<unknown> = Promise.resolve()

async function* later(text: string): AsyncGenerator<string> {
  await gate
  yield text
}

/** "run cat a.ts" runs the command; "read a.ts b.ts" reads these files before it answers, "wait" answers when the test lets it. */
const script: Script = ({ conversation: { lastUserText, step } }) => {
  const [verb, ...names] = spoken(lastUserText).split(' ')
  if (verb === 'read' && step === 0) {
    return { toolUses: names.map((name) => ({ name: 'Read', input: { file_path: join(project, name) } })) }
  }
  if (verb === 'run' && step === 0) return { toolUses: [{ name: 'Bash', input: { command: names.join(' ') } }] }
  return verb === 'wait' ? { stream: later('waited') } : { text: `answer to ${spoken(lastUserText)}` }
}

const writeFile = (name: string, text: string): void => {
  mkdirSync(join(project, name, '..'), { recursive: true })
  writeFileSync(join(project, name), text)
}
/** Also waits until the answers so far are noted. */
const drift = async (input: object = {}) => (await asOwner(iris, 'list_drift', input))['changed'] as { path: string }[]

beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    script,
    teams: { frontend: {}, backend: { grantPermission: 'yes', dangerous: true } },
  })
  project = iris.world.directory('backend')
  for (const name of ['src/api.ts', 'src/orders.ts', 'plain.txt', 'gone.txt', 'late.ts']) writeFile(name, 'one\n')
  makeRepository(project)
})
afterAll(() => iris[Symbol.asyncDispose]())

test('the asker hears with its next answer which file changed, in which commit, and hears it once', async () => {
  const first = await ask(iris, 'backend', 'read src/api.ts src/orders.ts', { fromTeam: 'frontend' })
  expect(await drift()).toEqual([])
  writeFile('src/api.ts', 'two\n')
  git(project, '-c', 'user.name=Somebody', 'commit', '--quiet', '--all', '--message=second')
  const commit = git(project, 'rev-parse', 'HEAD').trim()
  // The message is not held up: its answer waits here until the comparison is over.
  gate = iris.event('answers-drifted')
  const second = await ask(iris, 'backend', 'wait', { fromTeam: 'frontend' })
  const change = { path: 'src/api.ts', commit, author: 'Somebody', changedAt: expect.any(Number) }
  expect(second['changedSince']).toEqual([
    { ...change, turnId: first.turnId, message: 'read src/api.ts src/orders.ts', answeredAt: expect.any(Number) },
  ])
  expect(await ask(iris, 'backend', 'third', { fromTeam: 'frontend' })).not.toHaveProperty('changedSince')

  expect(await drift()).toMatchObject([{ ...change, from: 'frontend', to: 'backend', turnId: first.turnId }])
  const { entries } = (await asOwner(iris, 'list_audit', {})) as { entries: { action: string }[] }
  const drifted = { action: 'answers.drifted', subject: 'backend', actor: 'iris', detail: { turns: 1 } }
  expect(entries.filter(({ action }) => action === drifted.action)).toMatchObject([drifted])
  const { turns } = (await asOwner(iris, 'session_turns', { sessionId: first.sessionId })) as { turns: object[] }
  expect(turns.map((turn) => 'changedSince' in turn)).toEqual([true, false, false])
  expect(turns[0]).toMatchObject({ changedSince: [change] })
  const { steps } = (await asOwner(iris, 'trace_turn', { turnId: first.turnId })) as { steps: { text: string }[] }
  expect(steps.at(-1)!.text).toBe(
    `src/api.ts, which the answer relied on, has changed in ${commit.slice(0, 8)} by Somebody.`,
  )
})

test('a file that changes after another one of the same answer is reported too, each once', async () => {
  for (const name of ['one', 'two']) writeFile(`src/${name}.ts`, 'one\n')
  const to = { fromTeam: 'frontend', thread: 'both' }
  const reported = async (message: string) =>
    ((await ask(iris, 'backend', message, to))['changedSince'] as { path: string }[] | undefined)?.map(
      ({ path }) => path,
    )
  await ask(iris, 'backend', 'read src/one.ts src/two.ts', to)
  for (const name of ['one', 'two']) {
    await drift()
    writeFile(`src/${name}.ts`, 'two\n')
    await drift()
    expect(await reported(`and now, ${name}?`)).toEqual([`src/${name}.ts`])
    expect(await reported(`and then, ${name}?`)).toBeUndefined()
  }
})

test('a file that a command read or a search found counts too', async () => {
  writeFile('src/read.ts', 'one\n')
  writeFile('src/found.ts', 'a needle\n')
  writeFile('src/other.ts', 'no word of it\n')
  const to = { fromTeam: 'frontend', thread: 'commands' }
  const { turnId } = await ask(iris, 'backend', 'run cat src/read.ts && grep -rn needle .', to)
  await drift()
  for (const name of ['read', 'found', 'other']) writeFile(`src/${name}.ts`, 'two\n')
  const changed = (await drift({ team: 'backend' })).filter((file) => 'turnId' in file && file.turnId === turnId)
  expect(changed.map(({ path }) => path).toSorted()).toEqual(['src/found.ts', 'src/read.ts'])
})

test('one change is said once, however many answers relied on the file, and not in an answer that has read it', async () => {
  for (const name of ['many', 'own']) writeFile(`src/${name}.ts`, 'one\n')
  const to = { fromTeam: 'frontend', thread: 'many' }
  for (let answer = 0; answer < 3; answer++) await ask(iris, 'backend', 'read src/many.ts src/own.ts', to)
  const { turnId } = await ask(iris, 'backend', 'read src/many.ts', to)
  await drift()
  for (const name of ['many', 'own']) writeFile(`src/${name}.ts`, 'two\n')
  const listed = (await drift()).filter((file) => 'thread' in file && file.thread === 'many')
  expect(listed).toMatchObject([
    { path: 'src/many.ts', turnId, answers: 4 },
    { path: 'src/own.ts', answers: 3 },
  ])
  const own = await ask(iris, 'backend', 'read src/own.ts', to)
  expect(own['changedSince']).toMatchObject([{ path: 'src/many.ts', turnId }])
  expect(await ask(iris, 'backend', 'and now?', to)).not.toHaveProperty('changedSince')
  const later = (await drift()).filter((file) => 'thread' in file && file.thread === 'many')
  expect(later.map(({ path }) => path)).toEqual(['src/many.ts'])
})

test('what was read again since is not reported, and what is again as it was is listed no more', {
  tags: ['thorough'],
}, async () => {
  const to = { fromTeam: 'frontend', thread: 'again' }
  await ask(iris, 'backend', 'read src/orders.ts', to)
  await drift()
  writeFile('src/orders.ts', 'two\n')
  const { turnId } = await ask(iris, 'backend', 'read src/orders.ts', to)
  const listed = async () => (await drift()).filter((file) => 'thread' in file && file.thread === 'again')
  expect(await listed()).toEqual([])
  expect(await ask(iris, 'backend', 'and now?', to)).not.toHaveProperty('changedSince')
  writeFile('src/orders.ts', 'one\n')
  expect(await listed()).toMatchObject([{ turnId, path: 'src/orders.ts' }])
})

test('without git, and of a file that is gone, it is known that it changed', { tags: ['thorough'] }, async () => {
  rmSync(join(project, '.git'), { recursive: true })
  const to = { fromTeam: 'frontend', thread: 'plain' }
  const { turnId } = await ask(iris, 'backend', 'read plain.txt gone.txt', to)
  await drift()
  writeFile('plain.txt', 'two\n')
  rmSync(join(project, 'gone.txt'))
  const changed = (await drift({ team: 'backend' })).filter((file) => 'turnId' in file && file.turnId === turnId)
  expect(changed.map(({ path }) => path).toSorted()).toEqual(['gone.txt', 'plain.txt'])
  for (const file of changed) expect(file).not.toHaveProperty('commit')
  expect((await ask(iris, 'backend', 'and now?', to))['changedSince']).toHaveLength(2)
})

test('somebody else who collects the answer takes nothing away from its asker', { tags: ['thorough'] }, async () => {
  const to = { fromTeam: 'frontend', thread: 'collected' }
  await ask(iris, 'backend', 'read late.ts', to)
  await drift()
  writeFile('late.ts', 'two\n')
  await drift()
  const { turnId } = await ask(iris, 'backend', 'and now?', { ...to, timeout: -1 })
  expect(await callTool(iris, 'message_status', { turnId, timeout: 0 })).not.toHaveProperty('changedSince')
  expect((await ask(iris, 'backend', 'and then?', to))['changedSince']).toMatchObject([{ path: 'late.ts' }])
})

test('switched off, no answer is noted', { tags: ['thorough'] }, async () => {
  iris.world.writeConfig({ insight: { drift: false } })
  await iris.event('config-reloaded')
  const to = { fromTeam: 'frontend', thread: 'off' }
  const { turnId } = await ask(iris, 'backend', 'read late.ts', to)
  expect(await asOwner(iris, 'list_drift', {})).toMatchObject({ isOn: false })
  expect(iris.rows(`SELECT * FROM answer_states WHERE turn = '${turnId}'`)).toEqual([])
  expect(iris.rows('SELECT * FROM answer_states')).not.toEqual([])
})
