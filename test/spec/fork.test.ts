import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { Stage } from '../support/stage.ts'
import { asUsedBefore, Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

/** Answers with everything the asker ever said in this conversation, as Claude Code resent it. */
const remembers: Script = ({ conversation }) => ({ text: conversation.userTexts.map(spoken).join(' | ') })

interface Fork {
  readonly sessionId: string
  readonly thread: string
  readonly terminalCommand: string
  readonly origin: { readonly sessionId: string; readonly lastMessage: string; readonly terminalCommand: string }
}

const forkOf = async (iris: TestIris, args: object): Promise<Fork> => {
  const made = await callTool(iris, 'session_fork', { toTeam: 'backend', ...args })
  expect(made).not.toHaveProperty('error')
  return made as unknown as Fork
}

describe.each(contractVersions)('with Claude Code %s', (version) => {
  const start = async () => {
    const iris = await TestIris.start({ script: remembers, settings: { claudePath: claudeBinary(version) } })
    // Before any claude runs: a running one would write its own form of the file over it.
    asUsedBefore(join(iris.world.root, '.claude.json'), iris.world.directory('backend'))
    return iris
  }
  const at = (iris: TestIris, command: string) => new Terminal(command, { cwd: '/', env: iris.world.env })

  test('a fork knows what was said before it, and neither hears what the other says after it', async () => {
    await using iris = await start()
    const source = await ask(iris, 'backend', 'one')
    await ask(iris, 'backend', 'two')
    const fork = await forkOf(iris, { newThread: 'try' })
    expect(fork).toMatchObject({
      from: 'external',
      to: 'backend',
      thread: 'try',
      origin: { sessionId: source.sessionId },
    })
    expect(await ask(iris, 'backend', 'three')).toMatchObject({ response: 'one | two | three' })
    const answer = await ask(iris, 'backend', 'other', { thread: 'try' })
    expect(answer).toMatchObject({ response: 'one | two | other', sessionId: fork.sessionId })
    expect(answer).not.toHaveProperty('contextReset')
    await iris.restart()
    expect(await ask(iris, 'backend', 'more', { thread: 'try' })).toMatchObject({
      response: 'one | two | other | more',
      sessionId: fork.sessionId,
    })
    expect(await ask(iris, 'backend', 'four')).toMatchObject({ response: 'one | two | three | four' })
    expect(iris.rows('SELECT origin, origin_session, origin_message FROM team_sessions ORDER BY id')).toEqual([
      { origin: 'new', origin_session: null, origin_message: null },
      { origin: 'fork', origin_session: source.sessionId, origin_message: fork.origin.lastMessage },
    ])
  })

  test('a fork from an earlier turn ends with its answer, also when that was before a compaction', {
    tags: ['thorough'],
  }, async () => {
    await using iris = await start()
    const first = await ask(iris, 'backend', 'one')
    await ask(iris, 'backend', 'two')
    await callTool(iris, 'team_sleep', { team: 'backend' })
    await using person = at(iris, (await forkOf(iris, { newThread: 'unused' })).origin.terminalCommand)
    await person.shows('❯')
    await person.type('/compact')
    await person.shows('Compacted')
    await person.type('/exit')
    await person.exited()
    await forkOf(iris, { newThread: 'early', fromTurn: first.turnId })
    expect(await ask(iris, 'backend', 'other', { thread: 'early' })).toMatchObject({ response: 'one | other' })
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('the command it names opens the fork in a terminal', { tags: ['thorough'] }, async () => {
    await using iris = await start()
    await ask(iris, 'backend', 'one')
    const fork = await forkOf(iris, { newThread: 'by-hand' })
    await using person = at(iris, fork.terminalCommand)
    await person.shows('❯')
    await person.type('by hand')
    await person.shows('one | by hand')
    expect(person.printed).toContain('one | by hand')
  })
})

test('what runs when the fork is made goes on, and is no part of it', { tags: ['thorough'] }, async () => {
  const steps = (file: (name: string) => string) => [
    { partial: 'working ' },
    { waitForFile: file('go') },
    { text: 'done' },
  ]
  await using stage = await Stage.start({ script: (file) => ({ rules: [{ when: 'slow', steps: steps(file) }] }) })
  const { iris } = stage
  await ask(iris, 'backend', 'quick')
  const slow = ask(iris, 'backend', 'slow')
  await stage.said('working ')
  await eventually(() => holding(iris, 'slow').length === 1, 'the running turn is in the transcript')
  const { sessionId } = await forkOf(iris, { newThread: 'try' })
  expect(holding(iris, 'quick').toSorted()).toEqual(transcripts(iris).toSorted())
  expect(holding(iris, 'slow')).not.toContainEqual(expect.stringContaining(sessionId))
  stage.fake.open('go')
  expect(await slow).toMatchObject({ status: 'completed' })
  expect(await ask(iris, 'backend', 'two', { thread: 'try' })).toMatchObject({ status: 'completed', sessionId })
  expect(stage.starts()).toEqual(['start', 'resume'])
})

test('a fork that would have no past, or no thread of its own, is refused and leaves nothing', {
  tags: ['thorough'],
}, async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  const fork = (args: object) => refusal(iris, 'session_fork', { toTeam: 'backend', ...args })
  expect(await fork({ newThread: 'try' })).toMatchObject({ code: 'nothing_to_fork' })
  const { turnId } = await ask(iris, 'backend', 'one')
  const elsewhere = await ask(iris, 'mobile', 'two')
  expect(await fork({ newThread: 'main' })).toMatchObject({ code: 'thread_in_use' })
  await forkOf(iris, { newThread: 'try', fromTurn: turnId.slice(0, 8) })
  expect(await fork({ newThread: 'try' })).toMatchObject({ code: 'thread_in_use' })
  expect(await fork({ newThread: 'agent:tester' })).toMatchObject({ code: 'invalid_input' })
  expect(await fork({ newThread: 'other', fromTurn: elsewhere.turnId })).toMatchObject({ code: 'unknown_turn' })
  expect(iris.rows("SELECT thread FROM team_sessions WHERE to_team = 'backend'")).toHaveLength(2)
  expect(holding(iris, 'one')).toHaveLength(2)
})

test('a fork whose transcript is gone before its first message starts afresh and says so', async () => {
  await using stage = await Stage.start()
  await ask(stage.iris, 'backend', 'one')
  const { sessionId } = await forkOf(stage.iris, { newThread: 'try' })
  rmSync(transcripts(stage.iris).find((path) => path.endsWith(`${sessionId}.jsonl`))!)
  expect(await ask(stage.iris, 'backend', 'two', { thread: 'try' })).toMatchObject({
    status: 'completed',
    contextReset: expect.stringContaining('no longer has a transcript'),
  })
})

function transcripts({ world }: TestIris): string[] {
  const projects = join(world.claudeDirectory, 'projects')
  if (!existsSync(projects)) return []
  return readdirSync(projects, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.jsonl') || path.endsWith('.unfinished'))
    .map((path) => join(projects, path))
}

/** The transcripts that hold these words. */
function holding(iris: TestIris, words: string): string[] {
  return transcripts(iris).filter((path) => readFileSync(path, 'utf8').includes(words))
}
