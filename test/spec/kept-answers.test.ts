import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { filter, firstValueFrom } from 'rxjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { git, makeRepository } from '../support/git.ts'
import { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { firstIn } from '../support/tier.ts'
import { transcriptPath } from '../support/transcript-path.ts'
import { spoken } from '../support/world.ts'

const reader = { tools: ['Read'] }
let iris: TestIris
let project: string
let answers = 0
let gate = Promise.withResolvers<void>()
let isHeld = false

/** "read a.ts" reads the file, "run" a command; each answer is another one. "held" holds it until the gate opens. */
const script: Script = async ({ conversation: { lastUserText, step } }) => {
  const [verb, name = '', how] = spoken(lastUserText).split(' ')
  if (step === 0 && verb === 'read') return { toolUses: [{ name: 'Read', input: { file_path: join(project, name) } }] }
  if (step === 0 && lastUserText.includes('<iris-schema>'))
    return { toolUses: [{ name: 'mcp__iris__return_value', input: { value: 7 } }] }
  if (step === 0 && verb === 'run') return { toolUses: [{ name: 'Bash', input: { command: 'cat a.ts' } }] }
  if (how === 'held') {
    isHeld = true
    await gate.promise
  }
  answers += 1
  return { text: `answer ${answers}` }
}

const write = (name: string, text: string): void => writeFileSync(join(project, name), text)
const commit = (): void => {
  git(project, 'add', '--all')
  git(project, 'commit', '--quiet', '--allow-empty', '--message=next')
}

/** Asks twice: the first answer is noted, and the second one may be the same. */
let threads = 0
async function asked(
  message: string,
  between: (turnId: string) => unknown = () => {},
  more: object = {},
  always: object = {},
) {
  threads += 1
  const to = { fromTeam: 'frontend', thread: `thread-${threads}`, fresh: 'ifChanged', ...always }
  const first = await ask(iris, 'backend', message, to)
  // The answer is noted after it was given.
  await iris.event('turn-settled', ({ turnId }) => turnId === first.turnId)
  await noted(first.turnId)
  await between(first.turnId)
  return { first, second: await ask(iris, 'backend', message, { ...to, ...more }) }
}

/** Asks one question, and after a change another one twice: whether the second answer to that is the first one. */
async function isKeptAfter(before: string, message: string, change: () => void): Promise<boolean> {
  threads += 1
  const to = { fromTeam: 'frontend', thread: `thread-${threads}`, fresh: 'ifChanged' }
  await ask(iris, 'backend', before, { ...to, fresh: 'always' })
  change()
  const first = await ask(iris, 'backend', message, to)
  await iris.event('turn-settled', ({ turnId }) => turnId === first.turnId)
  await noted(first.turnId)
  const second = await ask(iris, 'backend', message, to)
  return second.turnId === first.turnId
}

/** Saves this of the team backend, and waits until Iris has taken it. */
async function saved(of: object, roles: Readonly<Record<string, object>> = {}): Promise<void> {
  const reloaded = firstValueFrom(iris.daemon.events$.pipe(filter(({ type }) => type === 'config-reloaded')))
  const backend = { grantPermission: 'yes', dangerous: true, ...of }
  iris.world.writeConfig({ teams: { frontend: {}, backend }, roles: { reader, ...roles } })
  await reloaded
}

/** Waits until nothing is being noted, whether the answer is kept or not. */
async function noted(turnId: string): Promise<boolean> {
  await iris.daemon.parts.keptAnswers.noted()
  return iris.rows(`SELECT turn FROM kept_answers WHERE turn = '${turnId}'`).length === 1
}

beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    script,
    teams: { frontend: {}, backend: { grantPermission: 'yes', dangerous: true } },
  })
  project = iris.world.directory('backend')
  mkdirSync(join(project, 'src'))
  for (const name of ['a.ts', 'b.ts', 'CLAUDE.md']) write(name, 'one\n')
  write('src/c.ts', 'one\n')
  makeRepository(project)
})
afterAll(() => iris[Symbol.asyncDispose]())

test('the same question is answered by the earlier answer, labelled, and no model is asked', async () => {
  const before = answers
  const { first, second } = await asked('read a.ts')
  expect(second).toMatchObject({ status: 'completed', turnId: first.turnId, response: first['response'] })
  expect(second['kept']).toMatchObject({ answeredAt: expect.any(Number), note: expect.stringContaining('nothing') })
  expect(first).not.toHaveProperty('kept')
  expect(answers).toBe(before + 1)
  const { steps } = (await asOwner(iris, 'trace_turn', { turnId: first.turnId })) as { steps: { text: string }[] }
  expect(steps.at(-1)!.text).toBe('The answer was reused: once so far.')
  const { entries } = (await asOwner(iris, 'list_audit', { limit: 5 })) as { entries: { action: string }[] }
  expect(entries).toContainEqual(expect.objectContaining({ action: 'answer.kept', actor: 'iris' }))
  expect(await asOwner(iris, 'reflect', {})).toMatchObject({ kept: { times: 1, savedMs: expect.any(Number) } })
})

test('a question that is self-contained is answered again whatever the conversation was told since', async () => {
  const to = { fromTeam: 'frontend', thread: 'alone', fresh: 'ifChanged', selfContained: true }
  const first = await ask(iris, 'backend', 'read a.ts', to)
  await noted(first.turnId)
  const { selfContained: _, ...relying } = to
  const { fresh: __, ...wrong } = { ...to, toTeam: 'backend', message: 'read a.ts' }
  expect(await refusal(iris, 'send_message', wrong)).toMatchObject({ code: 'invalid_input' })
  await ask(iris, 'backend', 'and now?', relying)
  expect((await ask(iris, 'backend', 'read a.ts', to)).turnId).toBe(first.turnId)
  expect((await ask(iris, 'backend', 'read a.ts', relying)).turnId).not.toBe(first.turnId)
})

test.each(claudeVersions)(
  'with Claude Code %s: an answer is given again until the conversation goes on',
  async (version) => {
    const seen: Script = ({ conversation: { userTexts } }) => ({
      text: `SEEN ${userTexts.filter((text) => text.includes('How many?')).length}`,
    })
    const settings = { claudePath: claudeBinary(version) }
    await using real = await TestIris.start({ script: seen, settings, teams: { frontend: {}, backend: {} } })
    const to = { fromTeam: 'frontend', fresh: 'ifChanged' }
    const first = await ask(real, 'backend', 'How many?', to)
    await real.event('turn-settled')
    await real.daemon.parts.keptAnswers.noted()
    expect(await ask(real, 'backend', 'How many?', to)).toMatchObject({
      turnId: first.turnId,
      response: 'SEEN 1',
      kept: {},
    })
    await ask(real, 'backend', 'Something else.', { fromTeam: 'frontend' })
    const asked = await ask(real, 'backend', 'How many?', to)
    expect(asked).toMatchObject({ response: 'SEEN 2' })
    expect(asked).not.toHaveProperty('kept')
  },
)

test('a typed answer is given again with its value', { tags: ['thorough'] }, async () => {
  const typed = { responseSchema: { type: 'integer' } }
  const { first, second } = await asked('value', () => {}, typed, typed)
  expect(second).toMatchObject({ turnId: first.turnId, value: 7, kept: {} })
})

describe('it is asked again', () => {
  const cases: Readonly<Record<string, () => unknown>> = {
    'when a file that was read has changed': () => write('src/c.ts', 'two\n'),
    'when another commit is checked out': commit,
    'when the instructions of the project have changed': () => write('CLAUDE.md', 'two\n'),
    'when instructions of the project came to be': () => write('AGENTS.md', 'new\n'),
    'when instructions above the project came to be': () => write('../CLAUDE.md', 'above\n'),
    'when a setting of the team has changed': () => saved({ appendSystemPrompt: 'Be brief.' }),
    'when the model of the team has changed': () => saved({ model: 'haiku' }),
  }
  test.each(firstIn(Object.entries(cases)))('%s', async (_what, change) => {
    const { first, second } = await asked('read src/c.ts', change)
    expect(second.turnId).not.toBe(first.turnId)
    expect(second).not.toHaveProperty('kept')
  })

  test('when the rights of the role have changed with which it was asked', { tags: ['thorough'] }, async () => {
    await saved({})
    const asReader = { role: 'reader' }
    const { first, second } = await asked('read b.ts', () => {}, asReader, asReader)
    expect(second).toMatchObject({ turnId: first.turnId, kept: {} })
    const narrowed = () => saved({}, { reader: { tools: ['Read', 'Grep'] } })
    const { first: one, second: other } = await asked('read b.ts', narrowed, asReader, asReader)
    expect(other.turnId).not.toBe(one.turnId)
  })

  test('when the instructions changed after the process of the conversation had read them', {
    tags: ['thorough'],
  }, async () => {
    expect(await isKeptAfter('read b.ts', 'read src/c.ts', () => {})).toBe(true)
    expect(await isKeptAfter('read b.ts', 'read src/c.ts', () => write('CLAUDE.md', 'three\n'))).toBe(false)
  })

  test('in another conversation, in other words, and without the wish', async () => {
    const { first, second } = await asked('read a.ts', () => {}, { thread: 'elsewhere' })
    expect(second.turnId).not.toBe(first.turnId)
    const to = { fromTeam: 'frontend', thread: first['thread'], fresh: 'ifChanged' }
    expect((await ask(iris, 'backend', 'Read a.ts', to)).turnId).not.toBe(first.turnId)
    expect((await ask(iris, 'backend', 'read a.ts', { ...to, fresh: 'always' })).turnId).not.toBe(first.turnId)
  })

  test('when another message reached the conversation since, waits to, or was left as a notice', async () => {
    const to = (answer: object) => ({ fromTeam: 'frontend', thread: (answer as { thread: string }).thread })
    const told = { 'a message': (of: object) => ask(iris, 'backend', 'and now?', to(of)) }
    for (const [what, tell] of Object.entries({
      ...told,
      'a message that waits': (of: object) => {
        gate = Promise.withResolvers()
        return callTool(iris, 'send_message', { toTeam: 'backend', message: 'say it held', ...to(of), timeout: -1 })
      },
      'a notice': (of: object) => callTool(iris, 'notify', { toTeam: 'backend', message: 'I moved it.', ...to(of) }),
    })) {
      const { first, second } = await asked('read a.ts', async (turnId) => {
        const [{ thread } = {}] = iris.rows(
          `SELECT thread FROM team_sessions JOIN turns ON session = team_sessions.id WHERE turns.id = '${turnId}'`,
        )
        await tell({ thread })
        gate.resolve()
      })
      expect([what, second.turnId]).not.toEqual([what, first.turnId])
    }
  })

  test('when a person said something in the conversation, or Claude Code by itself', async () => {
    const { first, second } = await asked('read a.ts', async (turnId) => {
      const [row] = iris.rows(
        `SELECT session_id AS id FROM team_sessions JOIN turns ON session = team_sessions.id WHERE turns.id = '${turnId}'`,
      )
      const path = (await transcriptPath(iris.world.claudeDirectory, String(row!['id'])))!
      const said = { type: 'user', uuid: crypto.randomUUID(), isSidechain: false }
      appendFileSync(path, `${JSON.stringify({ ...said, message: { role: 'user', content: 'Forget it.' } })}\n`)
    })
    expect(second.turnId).not.toBe(first.turnId)
  })

  test('when a file has changed that the conversation had read for an earlier message', async () => {
    threads += 1
    const to = { fromTeam: 'frontend', thread: `thread-${threads}`, fresh: 'ifChanged' }
    await ask(iris, 'backend', 'read b.ts', to)
    const first = await ask(iris, 'backend', 'what did it say?', to)
    await noted(first.turnId)
    expect((await ask(iris, 'backend', 'what did it say?', to)).turnId).toBe(first.turnId)
    write('b.ts', 'after that\n')
    expect((await ask(iris, 'backend', 'what did it say?', to)).turnId).not.toBe(first.turnId)
  })

  test('after a command, because nobody knows what it read', { tags: ['thorough'] }, async () => {
    const { first, second } = await asked('run it')
    expect(second.turnId).not.toBe(first.turnId)
  })

  test('when a file outside of the project was read, also by a link: nobody watches it', {
    tags: ['thorough'],
  }, async () => {
    const outside = join(iris.world.root, 'outside.md')
    writeFileSync(outside, 'one\n')
    symlinkSync(outside, join(project, 'linked.md'))
    for (const name of ['linked.md', relative(project, outside)]) {
      const { first, second } = await asked(`read ${name}`, () => writeFileSync(outside, `after ${name}\n`))
      expect([name, second.turnId]).not.toEqual([name, first.turnId])
    }
  })

  test('when a file has changed that was read before the call was repeated', { tags: ['thorough'] }, async () => {
    const to = { fromTeam: 'frontend', thread: 'repeated', fresh: 'ifChanged', idempotencyKey: 'repeated-1' }
    gate = Promise.withResolvers()
    const sent = await callTool(iris, 'send_message', {
      toTeam: 'backend',
      message: 'read a.ts held',
      ...to,
      timeout: -1,
    })
    const turnId = String(sent['turnId'])
    await eventually(() => isHeld, 'it has read the file')
    const again = await callTool(iris, 'send_message', {
      toTeam: 'backend',
      message: 'read a.ts held',
      ...to,
      timeout: -1,
    })
    expect(again['turnId']).toBe(turnId)
    gate.resolve()
    await ask(iris, 'backend', 'read a.ts held', to)
    await noted(turnId)
    write('a.ts', 'after the repeated call\n')
    const { idempotencyKey: _, ...unkeyed } = to
    expect((await ask(iris, 'backend', 'read a.ts held', unkeyed)).turnId).not.toBe(turnId)
  })

  test('on another branch of the same commit, and with hooks that tell the model what no file says', {
    tags: ['thorough'],
  }, async () => {
    const branched = await asked('read a.ts', () => git(project, 'switch', '--quiet', '--create', `b${threads}`))
    expect(branched.second.turnId).not.toBe(branched.first.turnId)
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'date' }] }] }
    mkdirSync(join(project, '.claude'), { recursive: true })
    write('.claude/settings.json', JSON.stringify({ hooks }))
    const hooked = await asked('read a.ts')
    expect(hooked.second.turnId).not.toBe(hooked.first.turnId)
    rmSync(join(project, '.claude'), { recursive: true })
  })

  test('a file that nobody read may change', { tags: ['thorough'] }, async () => {
    const { first, second } = await asked('read a.ts', () => write('b.ts', 'three\n'))
    expect(second.turnId).toBe(first.turnId)
  })

  test('when git is gone', { tags: ['thorough'] }, async () => {
    const { first, second } = await asked('read a.ts', () => execFileSync('rm', ['-r', join(project, '.git')]))
    expect(second.turnId).not.toBe(first.turnId)
  })
})
