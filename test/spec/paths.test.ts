import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stepwise } from '../../src/app/demo/script.ts'
import { ask, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { isBrief } from '../support/tier.ts'
import { spoken } from '../support/world.ts'

const scratch = scratchDirectory()
const inScratch = (...parts: string[]): string => join(scratch.path, ...parts)
const long = Array.from({ length: 5 }, (_, index) => `${index}-${'long'.repeat(12)}`)

/** The directory of each team, and where its files really are. */
const teams = {
  spaced: { path: inScratch('my project. v2_final') },
  foreign: { path: inScratch('Müller', '日本 — проект') },
  linked: { path: inScratch('link to it'), real: inScratch('the.real_one') },
  long: { path: inScratch(...long) },
}
const names = Object.keys(teams) as (keyof typeof teams)[]
/** Two starts of Claude Code each: only the night asks each. */
const asked = names.filter((_, index) => !isBrief || index % 2 === 1)

let iris: TestIris
beforeAll(async () => {
  for (const [name, team] of Object.entries(teams)) {
    const real = 'real' in team ? team.real : team.path
    mkdirSync(real, { recursive: true })
    if (real !== team.path) symlinkSync(real, team.path)
    writeFileSync(join(real, 'notes.txt'), `the notes of ${name}`)
  }
  iris = await TestIris.start({
    script: stepwise({ toolUses: [{ name: 'Bash', input: { command: 'cat notes.txt' } }] }, ({ conversation }) => ({
      text: [conversation.toolResults[0]!.text, ...conversation.userTexts.map(spoken)].join(' | '),
    })),
    teams: { frontend: {}, ...Object.fromEntries(names.map((name) => [name, { path: teams[name].path }])) },
  })
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const askAll = (message: string) => Promise.all(asked.map((name) => ask(iris, name, message, { fromTeam: 'frontend' })))

test('a project is asked and resumed whatever its path: blanks and dots, other scripts, a link, over 200 characters', async () => {
  expect(teams.long.path.length).toBeGreaterThan(200)
  const first = await askAll('one')
  expect(first.map(({ response }) => response)).toEqual(asked.map((name) => `the notes of ${name} | one`))
  await iris.restart()
  const second = await askAll('two')
  expect(second.map(({ response }) => response)).toEqual(asked.map((name) => `the notes of ${name} | one | two`))
  expect(second.map(({ sessionId }) => sessionId)).toEqual(first.map(({ sessionId }) => sessionId))
  for (const answer of second) expect(answer).not.toHaveProperty('contextReset')
})

test.each([
  ['spaced', teams.spaced.path],
  ['foreign', teams.foreign.path],
  ['linked', teams.linked.real],
  ['long', join(teams.long.path, 'src')],
])('a bridge started in the directory of team "%s" speaks as that team', async (name, directory) => {
  const asOther = { toTeam: 'frontend', message: 'hello', fromTeam: 'frontend' }
  expect(await refusal(iris, 'send_message', asOther, { directory })).toMatchObject({
    code: 'from_mismatch',
    message: `This connection acts for "${name}", not for "frontend".`,
  })
})
