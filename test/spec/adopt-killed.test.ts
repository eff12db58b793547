import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { eventually } from '../support/eventually.ts'
import { Installation } from '../support/program.ts'
import { spoken } from '../support/world.ts'

const dieAt = fileURLToPath(new URL('../support/die-at.mjs', import.meta.url))

/** The first message is never answered in the original. */
const script: Script = ({ conversation: { lastUserText } }) =>
  spoken(lastUserText) === 'think' && !isCopied
    ? { stream: heldText('It depends', new Promise(() => {}), '') }
    : { text: `${spoken(lastUserText)} is answered` }
let isCopied = false

test('kill -9 in the middle of iris adopt: once it is repeated, each message is delivered once, in one conversation', {
  tags: ['thorough'],
}, async () => {
  await using installation = await Installation.create({ claude: 'fake', script, teams: ['backend'] })
  const { root, home } = installation.world
  await installation.startDaemon()
  for (const message of ['think', 'later']) await installation.run(['tell', 'backend', message, '--async'])
  await eventually(() => installation.world.model.requests.turns > 0, 'the model is asked')
  const messages = 'SELECT id, message, outcome FROM turns ORDER BY sequence'
  const conversations = 'SELECT origin FROM team_sessions ORDER BY id'
  const accepted = installation.rows(messages)
  isCopied = true

  const killedAt = async (step: string) => {
    const copy = join(root, step)
    cpSync(home, copy, { recursive: true, preserveTimestamps: true })
    const rows = (sql: string) => {
      using database = new DatabaseSync(join(copy, 'data/team-sessions.db'), { readOnly: true })
      return database.prepare(sql).all()
    }
    const run = (words: readonly string[], env: object = {}) =>
      installation.run(words, { env: { IRIS_HOME: copy, ...env } })
    const killed = await run(['adopt', '--deliver'], { DIE_AT: step, NODE_OPTIONS: `--import=${dieAt}` })
    expect(killed).toMatchObject({ signal: 'SIGKILL' })
    expect(rows(messages)).toEqual(accepted)
    return { copy, rows, run }
  }
  const isAdopted = async ({ copy, rows, run }: Awaited<ReturnType<typeof killedAt>>): Promise<void> => {
    expect(await run(['adopt', '--deliver'])).toMatchObject({ code: 0 })
    expect([existsSync(join(copy, 'owner')), rows(messages)]).toEqual([false, accepted])
    expect(rows(conversations)).toMatchObject([{ origin: 'new' }, { origin: 'reset' }])
  }
  for (const step of ['commit', 'remove owner', 'rename home.json']) await isAdopted(await killedAt(step))

  const half = await killedAt('committed')
  const { copy, rows, run } = half
  // Half adopted, it starts nothing: it might write into the conversations of the original.
  expect(await run(['start', '--background'])).toMatchObject({
    code: 12,
    stderr: expect.stringContaining(`is a copy of ${home}`),
  })
  await isAdopted(half)
  await run(['start', '--background'])
  for (const { id, message } of accepted) {
    const answer = await run(['result', String(id), '--timeout', '0'])
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining(`${String(message)} is answered`) })
  }
  expect(readFileSync(join(copy, 'owner'), 'utf8')).not.toBe(readFileSync(join(home, 'owner'), 'utf8'))
  await run(['stop'])
  expect(rows(messages)).toEqual(accepted.map((row) => ({ ...row, outcome: 'completed' })))
  expect(rows(conversations)).toHaveLength(2)
})
