import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../src/base/lib/sha256.ts'
import { signal } from '../../src/platform/machine/local-processes.ts'
import { taggedProcesses } from '../../src/platform/machine/process-tag.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import type { Script } from '../support/fake-claude.ts'
import { hurried } from '../support/hurried.ts'
import { TestIris } from '../support/iris.ts'
import { deliveredUuids, effects } from '../support/oracle.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const double = fileURLToPath(new URL('../fake-claude/fake-claude', import.meta.url))

/** A claude that is killed as it starts: each file `die…` in its directory once, `dead` for as long as it is there. */
function mortal() {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  const file = (name: string): string => join(scratch.path, name)
  const program = `#!/bin/sh
for once in "${scratch.path}"/die*; do [ -e "$once" ] && rm "$once" && kill -9 $$; done
[ -e "${file('dead')}" ] && kill -9 $$
exec "${double}" "$@"
`
  writeFileSync(file('claude'), program)
  chmodSync(file('claude'), 0o755)
  const die = (...names: string[]): void => names.forEach((name) => writeFileSync(file(name), ''))
  return { settings: { claudePath: file('claude') }, file, die }
}

/** A tool has its effect, and then its process ends; an agent that continues says so. */
const works =
  (touched: string) =>
  (file: (name: string) => string): Script => {
    const during = [{ appendFile: { path: file('effects'), line: 'done' } }, { touchFile: touched }]
    return {
      flushDelayMs: 0,
      rules: [
        { when: '<iris-continuation>', steps: [{ text: 'went on' }] },
        { when: 'work', steps: [{ tool: { name: 'Read', during } }, { kill: 'SIGKILL' }] },
        { steps: [{ text: 'turn {{turnNumber}}' }] },
      ],
    }
  }

describe('a claude that dies while it starts', () => {
  test.each([1, 3])('%i times is started again, and the message is answered, once', async (times) => {
    const { settings, die } = mortal()
    await using stage = await Stage.start({ settings, script: works('/dev/null') })
    const { iris, fake } = stage
    await ask(iris, 'backend', 'hello', { fromTeam })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    die(...['die1', 'die2', 'die3'].slice(0, times))
    const answer = await hurried(stage, ask(iris, 'backend', 'and again', { fromTeam }))
    expect(answer).toMatchObject({ status: 'completed', response: 'turn 2' })
    expect(deliveredUuids(fake.oracle())).toHaveLength(2)
  })

  test('at the first message of a conversation is no reason for another one', async () => {
    const { settings, die } = mortal()
    await using stage = await Stage.start({ settings })
    const { iris } = stage
    die('die1', 'die2', 'die3')
    const answer = await hurried(stage, ask(iris, 'backend', 'hello', { fromTeam }))
    expect(answer).toMatchObject({ status: 'completed' })
    expect(iris.rows('SELECT status FROM team_sessions')).toEqual([{ status: 'active' }])
  })

  test('each time ends a message that was given to nobody as failed, and says so', { tags: ['thorough'] }, async () => {
    const { settings, die } = mortal()
    await using stage = await Stage.start({ settings, script: works('/dev/null') })
    const { iris } = stage
    await ask(iris, 'backend', 'hello', { fromTeam })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    die('dead')
    const failed = await hurried(stage, ask(iris, 'backend', 'lost', { fromTeam }))
    expect(failed).toMatchObject({ status: 'failed', reason: 'spawn_failed', delivered: false })
    expect(failed.detail).toContain('SIGKILL')
  })

  test('after a tool of the message had its effect: the message is gone on with, and the effect is not repeated', {
    tags: ['thorough'],
  }, async () => {
    const { settings, file } = mortal()
    await using stage = await Stage.start({ settings, script: works(file('die1')) })
    const { iris, fake } = stage
    const answer = await hurried(stage, ask(iris, 'backend', 'work', { fromTeam }))
    expect(answer).toMatchObject({ status: 'completed', response: 'went on' })
    expect(existsSync(file('die1'))).toBe(false)
    expect(effects(fake.oracle())).toHaveLength(1)
  })

  test('each time after that: it is in doubt, delivered, with the tool named', { tags: ['thorough'] }, async () => {
    const { settings, file } = mortal()
    await using stage = await Stage.start({ settings, script: works(file('dead')) })
    const { iris, fake } = stage
    const doubt = await hurried(stage, ask(iris, 'backend', 'work', { fromTeam }))
    expect(doubt).toMatchObject({ status: 'in_doubt', reason: 'interrupted', delivered: true })
    expect(doubt.detail).toMatch(/may or may not have had their effect: Read\./)
    expect(effects(fake.oracle())).toHaveLength(1)
    rmSync(file('dead'))
    await stage.clock.jump(60_000)
    expect(await ask(iris, 'backend', 'and now?', { fromTeam })).toMatchObject({ status: 'completed' })
  })

  test('also when Iris was killed between the effect and the starts', { tags: ['thorough'] }, async () => {
    const { settings, file } = mortal()
    await using stage = await Stage.start({ settings, script: works(file('dead')), leavesUnsettled: true })
    const { iris, fake } = stage
    const asked = ask(iris, 'backend', 'work', { fromTeam, idempotencyKey: 'k' }).catch((error: unknown) => error)
    await eventually(() => existsSync(file('dead')), 'the effect')
    await iris.restart()
    await asked
    const doubt = await hurried(stage, ask(iris, 'backend', 'work', { fromTeam, idempotencyKey: 'k' }))
    expect(doubt).toMatchObject({ status: 'in_doubt', delivered: true, detail: expect.stringContaining('Read') })
    expect(effects(fake.oracle())).toHaveLength(1)
  })
})

describe.each(claudeVersions)('Claude Code %s', (version) => {
  test('killed twice as it takes its conversation up is started again, and the message is answered', async () => {
    await using iris = await TestIris.start({ settings: { claudePath: claudeBinary(version) } })
    await ask(iris, 'backend', 'hello', { fromTeam })
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    const asked = ask(iris, 'backend', 'and again', { fromTeam })
    const irisTag = sha256(iris.world.home).slice(0, 16)
    const killed = new Set<number>()
    while (killed.size < 2) {
      const [pid] = await eventually(async () => {
        const marked = await taggedProcesses(irisTag)
        const fresh = marked.filter((each) => !killed.has(each))
        return fresh.length > 0 && fresh
      }, 'claude starts')
      signal(pid!, 'SIGKILL')
      killed.add(pid!)
    }
    expect(await asked).toMatchObject({ status: 'completed', response: 'You said: and again' })
  })
})
