import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { swapping } from '../support/attackers.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { transcriptPath } from '../support/transcript-path.ts'

/** So many calls of the file system wait in Node at once; one more would keep the daemon from all files. */
const threads = 4

let claude: FakeClaudeSetup
let iris: TestIris
beforeAll(async () => {
  claude = fakeClaude({ script: { rules: [{ steps: [{ text: 'fine' }] }] } })
  const teams = Object.fromEntries(
    ['reader', 'writer', 'swapped', 'linked', 'linkedHome', 'claude', 'other'].map((name) => [name, {}]),
  )
  iris = await TestIris.start({ teams, settings: { claudePath: claude.claudePath, env: { ...claude.env } } })
  await iris.daemon.recovered
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  claude[Symbol.dispose]()
})

const stream = (sessionId: string, name: string) => join(iris.world.home, 'output_streams', sessionId, name)
const pipeAt = (path: string): void => {
  rmSync(path, { recursive: true, force: true })
  execFileSync('mkfifo', [path])
}
const serves = async () => expect(await ask(iris, 'other', 'still there?')).toMatchObject({ response: 'fine' })

describe('the transcripts that people read', () => {
  test('may be named pipes: nobody waits for a turn that is read from one', async () => {
    const turns = await Promise.all(
      Array.from({ length: threads + 1 }, (_, n) => ask(iris, 'reader', 'hello', { thread: `t${n}` })),
    )
    await eventually(
      () => turns.every(({ sessionId }) => existsSync(stream(sessionId, 'conversation.json'))),
      'their files',
    )
    await iris.restart()
    for (const { sessionId } of turns) {
      rmSync((await transcriptPath(iris.world.claudeDirectory, sessionId))!)
      rmSync(join(iris.world.home, 'data/transcripts'), { recursive: true, force: true })
      pipeAt(stream(sessionId, 'conversation.json'))
    }
    const told = await Promise.all(turns.map(({ turnId }) => callTool(iris, 'turn_transcript', { turnId })))
    for (const answer of told) expect(answer).toMatchObject({ source: 'ledger' })
    await serves()
  })

  test.each([
    ['named pipes', (path: string) => pipeAt(path)],
    ['directories', (path: string) => mkdirSync(path)],
    ['links to a file of the person', (path: string) => symlinkSync(join(iris.world.root, 'person.txt'), path)],
    ['links to a device', (path: string) => symlinkSync('/dev/full', path)],
    ['links to themselves', (path: string) => symlinkSync(path, path)],
  ])('may be %s: turns are answered, and nothing is written there', async (what, put) => {
    const person = join(iris.world.root, 'person.txt')
    writeFileSync(person, 'of the person')
    const thread = what.replaceAll(' ', '-').slice(0, 20)
    const { sessionId } = await ask(iris, 'writer', 'one', { thread })
    const files = ['stream.log', 'conversation.json'].map((name) => stream(sessionId, name))
    await eventually(() => files.every(existsSync), 'its files')
    for (const file of files) {
      rmSync(file)
      put(file)
    }
    for (let n = 0; n <= threads; n += 1)
      expect(await ask(iris, 'writer', `more ${n}`, { thread })).toMatchObject({ response: 'fine' })
    expect(readFileSync(person, 'utf8')).toBe('of the person')
    for (const file of files) rmSync(file, { recursive: true })
    await serves()
  })
})

describe('what a project holds for Claude Code', () => {
  test('may be links and pipes: which agents there are is said, and nobody waits', async () => {
    const directory = iris.world.directory('claude')
    mkdirSync(join(directory, '.claude'))
    await ask(iris, 'claude', 'hello')
    const agents = join(directory, '.claude/agents')
    for (const put of [
      () => symlinkSync(iris.world.home, agents),
      () => symlinkSync(agents, agents),
      () => symlinkSync('/proc/self/fd/0', agents),
      () => pipeAt(agents),
      () => pipeAt(join(directory, '.claude/settings.json')),
      () => symlinkSync('/dev/zero', join(directory, '.claude/settings.local.json')),
    ]) {
      rmSync(agents, { force: true })
      put()
      const told = await callTool(iris, 'list_agents', { team: 'claude' })
      expect(told).not.toHaveProperty('error')
      expect(JSON.stringify(told)).not.toContain(iris.world.owner())
    }
    await serves()
  })

  test('may be a pipe, a device or a loop where CLAUDE.md is: prompts are made without it', async () => {
    const path = join(iris.world.directory('linked'), 'CLAUDE.md')
    for (const put of [
      () => pipeAt(path),
      () => symlinkSync('/dev/zero', path),
      () => symlinkSync(path, path),
      () => symlinkSync(join(iris.world.home, 'owner'), path),
      () => symlinkSync('/proc/self/environ', path),
      () => mkdirSync(path),
    ]) {
      put()
      const told = JSON.stringify(await callTool(iris, 'get_agent', { agentType: 'debugger', team: 'linked' }))
      expect(told).not.toContain('"error"')
      expect(told).not.toContain(iris.world.owner())
      rmSync(path, { recursive: true })
    }
  })

  test('may be a link to the home of Iris: nothing is started there, and nothing is read', async () => {
    const directory = iris.world.directory('linkedHome')
    rmSync(directory, { recursive: true })
    symlinkSync(iris.world.home, directory)
    writeFileSync(join(iris.world.home, 'CLAUDE.md'), iris.world.owner())
    const before = readdirSync(iris.world.home)
    // Where the team's path leads is looked up before a start, as when config.yaml is saved.
    expect(await callTool(iris, 'send_message', { toTeam: 'linkedHome', message: 'hello', timeout: 0 })).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('leads into'),
    })
    const made = await callTool(iris, 'get_agent', { agentType: 'debugger', team: 'linkedHome', includeGitDiff: true })
    expect(JSON.stringify(made)).not.toContain(iris.world.owner())
    expect(readdirSync(iris.world.home)).toEqual(before)
  })

  test('may be swapped for the home of Iris as a whole, while it is read and worked in', {
    tags: ['thorough'],
  }, async () => {
    const directory = iris.world.directory('swapped')
    const link = `${directory}-link`
    writeFileSync(join(directory, 'CLAUDE.md'), 'harmless')
    symlinkSync(iris.world.home, link)
    // The contents of the home, which would leak if it were mistaken for the project.
    writeFileSync(join(iris.world.home, 'CLAUDE.md'), iris.world.owner())
    const before = readdirSync(iris.world.home)
    await swapping(directory, link)
    const answers: unknown[] = []
    for (let round = 0; round < 8; round += 1) {
      answers.push(await callTool(iris, 'get_agent', { agentType: 'debugger', team: 'swapped', includeGitDiff: true }))
      if (round % 4 === 0)
        answers.push(
          await callTool(iris, 'send_message', {
            toTeam: 'swapped',
            message: 'hello',
            timeout: 0,
            thread: `t${round}`,
          }),
        )
    }
    expect(JSON.stringify(answers)).not.toContain(iris.world.owner())
    expect(readdirSync(iris.world.home)).toEqual(before)
    await serves()
  })
})

test('a project that is renamed away under a conversation is said to be missing, and taken up again where it is back', async () => {
  const directory = iris.world.directory('other')
  await serves()
  await callTool(iris, 'team_sleep', { team: 'other' })
  renameSync(directory, `${directory}-away`)
  writeFileSync(directory, 'a file in its place')
  expect(await callTool(iris, 'send_message', { toTeam: 'other', message: 'hello', timeout: 0 })).toMatchObject({
    status: 'failed',
  })
  rmSync(directory)
  renameSync(`${directory}-away`, directory)
  await serves()
})
