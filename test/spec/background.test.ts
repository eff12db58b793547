import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { type Deferred, deferred } from '../../src/base/lib/deferred.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { hasText } from '../support/has-text.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { openGate, untilOpen } from '../support/shell-gate.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const idleTimeout = 1_000_000
const unsolicited = 'nobody asked for this'
const yes = { grantPermission: 'yes', dangerous: true }

describe.each(contractVersions)('a background task under Claude Code %s', (version) => {
  const gates = new Map<string, Deferred<void>>()
  const gate = (name: string): Deferred<void> => {
    const known = gates.get(name) ?? deferred<void>()
    gates.set(name, known)
    return known
  }
  /** The requests to the model, including its own notifications about tasks. */
  const heard: string[] = []
  const written: string[] = []

  /** "start x" leaves a task running until the file x is there; "hold x" is answered once its gate is open. */
  const script: Script = async ({ conversation: { lastUserText, step } }) => {
    const news = lastUserText.startsWith('<task-notification>')
    const message = news ? `news of ${/job-(\w+)/.exec(lastUserText)?.[1]}` : spoken(lastUserText)
    heard.push(message)
    const [verb, name] = message.split(' ')
    if (verb === 'start' && step === 0) {
      const command = `${untilOpen(`${name}.gate`)}; echo over >> ${name}`
      const input = { command, description: `job-${name}`, run_in_background: true }
      return { toolUses: [{ name: 'Bash', input }] }
    }
    if (verb === 'hold' || gates.has(message)) await gate(message).promise
    return { text: news ? unsolicited : `answer to ${message}` }
  }

  const clock = new JumpingClock()
  let iris: TestIris
  beforeAll(async () => {
    iris = await TestIris.start({
      script,
      clock,
      teams: { frontend: {}, backend: yes, mobile: {} },
      settings: { claudePath: claudeBinary(version), maxProcesses: 1, idleTimeout },
      at: (checkpoint, turn) => {
        if (checkpoint === 'written') written.push(turn.facts.message)
      },
    })
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  /** No line of an unsolicited turn appears among the lines of a requested one. */
  const say = async (message: string) => {
    const { rawMessages, ...answer } = await ask(iris, 'backend', message, { fromTeam, raw: true })
    expect(JSON.stringify(rawMessages)).not.toContain(unsolicited)
    return answer
  }
  const answered = (message: string) => ({ status: 'completed', response: `answer to ${message}` })
  const file = (name: string) => join(iris.world.directory('backend'), name)
  const end = (name: string) => openGate(file(`${name}.gate`))
  const asked = (message: string) => eventually(() => heard.includes(message), `the model is asked "${message}"`)
  const isWritten = (message: string) => eventually(() => written.includes(message), `"${message}" is written`)

  test('that ends while nothing runs makes a turn that is nobody’s answer', async () => {
    expect(await say('start a')).toMatchObject(answered('start a'))
    await end('a')
    await asked('news of a')
    expect(await say('next a')).toMatchObject(answered('next a'))
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('that ends just before a message is written leaves that message its own answer', async () => {
    expect(await say('start b')).toMatchObject(answered('start b'))
    const news = gate('news of b')
    await end('b')
    await asked('news of b')
    const next = say('next b')
    await isWritten('next b')
    news.resolve()
    expect(await next).toMatchObject(answered('next b'))
  })

  test('that ends while a turn runs and others are queued leaves everyone his own answer', async () => {
    expect(await say('start c')).toMatchObject(answered('start c'))
    const news = gate('news of c')
    const running = say('hold c')
    await asked('hold c')
    const queued = [say('second c'), say('third c')]
    await end('c')
    await eventually(() => hasText(file('c')), 'the task is over')
    gate('hold c').resolve()
    expect(await running).toMatchObject(answered('hold c'))
    await asked('news of c')
    await isWritten('second c')
    news.resolve()
    expect(await Promise.all(queued)).toMatchObject([answered('second c'), answered('third c')])
  })

  test('keeps its process: idle for long, and when another pair waits for the only slot, until the task is over', async () => {
    expect(await say('start d')).toMatchObject(answered('start d'))
    await clock.jump(idleTimeout)
    const { pid } = await iris.event('process-spawned')
    const other = ask(iris, 'mobile', 'hello', { fromTeam })
    await iris.event('turn-accepted', ({ to }) => to === 'mobile')
    expect(await callTool(iris, 'team_status')).toMatchObject({
      pool: { activeProcesses: 1 },
      teams: [
        { name: 'backend', sessions: [{ processState: 'idle', pid }] },
        { name: 'frontend' },
        { name: 'mobile', sessions: [{ processState: 'stopped', queueLength: 0 }] },
      ],
    })
    expect(existsSync(file('d'))).toBe(false)
    await end('d')
    expect(await other).toMatchObject({ status: 'completed', response: 'answer to hello' })
    expect(readFileSync(file('d'), 'utf8')).toBe('over\n')
    expect(heard).toContain('news of d')
  })

  test('is part of no turn in the ledger', () => {
    const turns = iris.rows('SELECT message, answer FROM turns ORDER BY sequence')
    expect(turns).toHaveLength(10)
    for (const { message, answer } of turns) expect(answer).toBe(`answer to ${String(message)}`)
  })
})
