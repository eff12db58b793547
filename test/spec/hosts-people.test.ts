import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { shellQuoted } from '../../src/platform/hosts/shell-words.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { hasText } from '../support/has-text.ts'
import { TestIris } from '../support/iris.ts'
import { irisCommand } from '../support/program.ts'
import { loginOf } from '../support/remote-world.ts'
import { type SshHost, startSshHost } from '../support/ssh-host.ts'
import { asUsedBefore, Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

/**
 * `run <command>` uses Bash, `ask <team> <message>` asks that team, "fill" makes the window nearly full. Else all that was ever said in the conversation, by hand too.
 */
const script: Script = ({ conversation: { userTexts, lastUserText, step, toolResults } }) => {
  const texts = userTexts.map(spoken).filter((text) => !text.startsWith('<'))
  const said = spoken(lastUserText)
  const [verb, ...words] = said.split(' ')
  if (step > 0) return { text: `It said: ${toolResults.at(-1)?.text ?? ''}` }
  if (verb === 'run') return { toolUses: [{ name: 'Bash', input: { command: words.join(' ') } }] }
  if (verb === 'ask') {
    const [toTeam, ...message] = words
    const input = { toTeam, message: message.join(' '), timeout: 0 }
    return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
  }
  return { text: `heard: ${texts.join(' | ')}`, inputTokens: lastUserText.includes('\nfill\n') ? 850_000 : 20_000 }
}
const compaction: Script = () => ({
  text: '<analysis>-</analysis>\n<summary>WHAT WAS SAID</summary>',
  inputTokens: 850_000,
})
const obedient = { grantPermission: 'yes', dangerous: true }
const fromTeam = 'frontend'

describe('conversations on two other machines', () => {
  let iris: TestIris
  let inanna: SshHost
  let enki: SshHost
  const backend = { name: "back end's", path: '' }
  const there = (host: SshHost): string => join(host.home, '.claude/projects')

  beforeAll(async () => {
    inanna = await startSshHost()
    enki = await startSshHost()
    backend.path = realpathSync(inanna.directory(backend.name))
    const teams = {
      frontend: {},
      web: {},
      backend: { remote: inanna.remote, path: backend.path, ...obedient },
      mobile: { remote: enki.remote, path: realpathSync(enki.directory('mobile')), ...obedient },
    }
    // Those here are asked by those there.
    iris = await TestIris.start({ claude: 'either', script, compaction, teams })
    for (const host of [inanna, enki]) host.writeProfile(loginOf(iris.world.model.url))
    asUsedBefore(join(inanna.home, '.claude.json'), backend.path)
  })
  afterAll(async () => {
    await iris[Symbol.asyncDispose]()
    await inanna[Symbol.asyncDispose]()
    await enki[Symbol.asyncDispose]()
  })

  const terminal = (command: string) => {
    const env = { ...iris.world.env, IRIS_HOME: iris.world.home }
    return new Terminal(`exec ${irisCommand} ${command}`, { cwd: iris.world.root, env })
  }

  test('an agent of one asks the other, which asks one here', { tags: ['thorough'] }, async () => {
    const answer = await ask(iris, 'backend', 'ask mobile ask web hello', {
      fromTeam: 'frontend',
      thread: 'nested',
    })
    expect(answer.status).toBe('completed')
    expect(answer.response).toContain('heard: hello')
    expect(readdirSync(there(enki))).toHaveLength(1)
    expect(iris.rows('SELECT max(hop) AS hops FROM turns')).toEqual([{ hops: 3 }])
  })

  test('iris attach opens one there in a terminal, by ssh, with a blank and a quote in its path', {
    tags: ['thorough'],
  }, async () => {
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam, thread: 'attached' })
    await using person = terminal('attach frontend backend --thread attached')
    await person.shows('frontend→backend')
    await person.shows('❯')
    await person.type('by hand')
    await person.shows('one | by hand')
    const two = ask(iris, 'backend', 'two', { fromTeam, thread: 'attached' })
    await iris.event('session-held', (event) => event.sessionId === sessionId)
    await person.type('/exit')
    expect(await two).toMatchObject({ response: 'heard: one | by hand | two', sessionId })
    expect(await person.exited()).toBe(0)
  })

  test('one forks there, knows what was said, and its command opens it by ssh', { tags: ['thorough'] }, async () => {
    await ask(iris, 'backend', 'before', { fromTeam, thread: 'stem' })
    const pair = { toTeam: 'backend', fromTeam, thread: 'stem' }
    const fork = (await callTool(iris, 'session_fork', { ...pair, newThread: 'twig' })) as { terminalCommand: string }
    expect(await ask(iris, 'backend', 'after', { fromTeam, thread: 'twig' })).toMatchObject({
      response: 'heard: before | after',
    })
    expect(fork.terminalCommand).toContain(`ssh -t -F`)
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam, thread: 'twig' })
    await using person = new Terminal(`exec ${fork.terminalCommand}`, { cwd: '/', env: iris.world.env })
    await person.shows('❯')
    await person.type('in the fork')
    await person.shows('in the fork')
    await person.type('/exit')
    await person.exited()
  })

  test('one that is nearly full is compacted there, and goes on', { tags: ['thorough'] }, async () => {
    const thread = 'full'
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam, thread })
    await ask(iris, 'backend', 'fill', { fromTeam, thread })
    await iris.event('session-compacted', (event) => event.sessionId === sessionId)
    expect(await ask(iris, 'backend', 'three', { fromTeam, thread })).toMatchObject({ status: 'completed', sessionId })
    const [slug] = readdirSync(there(inanna))
    expect(readFileSync(join(there(inanna), slug!, `${sessionId}.jsonl`), 'utf8')).toContain('compact_boundary')
  })

  test('when its Claude Code there is killed in the middle of a tool, the tool runs once and the turn goes on', {
    tags: ['thorough'],
  }, async () => {
    const thread = 'killed'
    const effects = join(backend.path, 'effects')
    const asked = ask(iris, 'backend', 'run echo effect >> effects; until [ -e go ]; do sleep 0.1; done; echo done', {
      fromTeam,
      thread,
    })
    await eventually(() => hasText(effects), 'the tool runs')
    const spawned = await iris.event('process-spawned', (event) => event.to === 'backend' && event.thread === thread)
    process.kill(spawned.pid, 'SIGKILL')
    writeFileSync(join(backend.path, 'go'), '')
    expect(await asked).toMatchObject({ status: 'completed' })
    expect(readFileSync(effects, 'utf8')).toBe('effect\n')
  })

  test('a person who opens one there by ssh while a tool runs: the turn ends first, messages wait, the next caller is told', async () => {
    const thread = 'visited'
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam, thread })
    const atWork = ask(
      iris,
      'backend',
      'run echo effect >> visited; until [ -e leave ]; do sleep 0.1; done; echo done',
      {
        fromTeam,
        thread,
      },
    )
    const effects = join(backend.path, 'visited')
    await eventually(() => hasText(effects), 'the tool runs')
    // A login would read the profile on its own.
    const typed = `. ~/.profile; cd "${backend.path}"; exec ~/.local/bin/claude --resume ${sessionId}`
    const command = `exec ssh -t -F ${inanna.clientConfig} inanna ${shellQuoted(typed)}`
    await using person = new Terminal(command, { cwd: '/', env: iris.world.env })
    await iris.event('session-held', (event) => event.sessionId === sessionId)
    const next = ask(iris, 'backend', 'next', { fromTeam, thread })
    await person.shows('❯')
    writeFileSync(join(backend.path, 'leave'), '')
    expect(await atWork).toMatchObject({ status: 'completed' })
    await person.type('by hand')
    await person.shows('| by hand')
    await person.type('/exit')
    expect(await next).toMatchObject({
      status: 'completed',
      sessionId,
      contextReset: expect.stringContaining('from before the last answer'),
    })
    expect(readFileSync(effects, 'utf8')).toBe('effect\n')
  })
})
