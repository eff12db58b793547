import { writeFileSync } from 'node:fs'
import { filter, firstValueFrom } from 'rxjs'
import { expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { answerPermission, questionOf } from '../support/owner.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const teams = (allow: readonly string[]) => ({ frontend: {}, backend: { permissions: { allow } } })
const usesTool = { tool: { name: 'Bash' } }

async function save(stage: Stage, allow: readonly string[]): Promise<void> {
  const saved = firstValueFrom(stage.iris.daemon.events$.pipe(filter(({ type }) => type === 'config-reloaded')))
  stage.iris.world.writeConfig({ teams: teams(allow) })
  await saved
}

test('a process that does not give a rule back is asked about every tool, and given no other message', async () => {
  await using stage = await Stage.start({
    script: (file) => ({
      takesSettings: 1,
      rules: [{ when: 'task', steps: [usesTool, { partial: 'begun' }, { waitForFile: file('go') }, usesTool] }],
    }),
    teams: teams(['Bash']),
  })
  const answered = ask(stage.iris, 'backend', 'task', { fromTeam })
  await stage.said('begun')
  await save(stage, [])
  writeFileSync(stage.fake.file('go'), '')
  const question = await questionOf(stage.iris, 'backend')
  expect(question).toMatchObject({ toolName: 'Bash', suggestions: [] })
  await answerPermission(stage.iris, question, 'deny')
  expect(await answered).toMatchObject({ status: 'completed' })
  expect(await ask(stage.iris, 'backend', 'next', { fromTeam })).toMatchObject({ status: 'completed' })
  expect(stage.starts()).toEqual(['start', 'resume'])
})

test('an idle process that does not take a change ends', async () => {
  await using stage = await Stage.start({ script: { takesSettings: 1 }, teams: teams(['Bash']) })
  await ask(stage.iris, 'backend', 'first', { fromTeam })
  await save(stage, ['Bash', 'Edit'])
  await stage.iris.event('process-terminated', ({ why }) => why === 'its settings have changed')
  await ask(stage.iris, 'backend', 'second', { fromTeam })
  expect(stage.starts()).toEqual(['start', 'resume'])
})

test('a process that takes no rules at its start asks about all, and goes on', async () => {
  const takes = { takesSettings: 0, rules: [{ when: 'task', steps: [usesTool] }] }
  await using stage = await Stage.start({ script: takes, teams: teams(['Bash']) })
  const answered = ask(stage.iris, 'backend', 'task', { fromTeam })
  await answerPermission(stage.iris, await questionOf(stage.iris, 'backend'), 'allow')
  expect(await answered).toMatchObject({ status: 'completed' })
  await ask(stage.iris, 'backend', 'second', { fromTeam })
  expect(stage.starts()).toEqual(['start'])
})
