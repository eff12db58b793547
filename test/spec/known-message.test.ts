import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { deliveredUuids } from '../support/oracle.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { Stage } from '../support/stage.ts'
import { spoken } from '../support/world.ts'

const key = { fromTeam: 'frontend', idempotencyKey: 'k' }

/** A new installation beside conversations of the former one: no row knows the key any more. */
async function forgetAll(iris: TestIris, sessionId: string): Promise<void> {
  const { home } = iris.world
  const path = join(home, 'output_streams', sessionId, 'conversation.json')
  await eventually(() => existsSync(path) && readFileSync(path, 'utf8').includes('"result"'), 'it is on record')
  await iris.daemon.stop(0)
  rmSync(join(home, 'data'), { recursive: true })
  rmSync(join(home, 'store.json'))
  await iris.restart()
  await iris.daemon.discovered
}

describe.each(claudeVersions)('a message that Claude Code %s knows and Iris does not', (version) => {
  test('has the answer that is on disk, at once, and is not run again; the conversation goes on', async () => {
    await using iris = await TestIris.start({
      script: ({ conversation }) => ({ text: conversation.userTexts.map(spoken).join(' | ') }),
      settings: { claudePath: claudeBinary(version) },
    })
    const one = await ask(iris, 'backend', 'one', key)
    await forgetAll(iris, one.sessionId)
    const again = await ask(iris, 'backend', 'one', key)
    expect(again).toMatchObject({ status: 'completed', response: 'one', sessionId: one.sessionId })
    expect(iris.world.model.requests.turns).toBe(1)
    const two = await ask(iris, 'backend', 'two', { fromTeam: 'frontend' })
    expect(two).toMatchObject({ status: 'completed', response: 'one | two', sessionId: one.sessionId })
  }, 90_000)
})

describe('a message that Claude Code knows and Iris does not', () => {
  test('is continued where it was cut off, and the tool that was at work is named', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({
      script: (file) => ({
        flushDelayMs: 0,
        rules: [
          { when: 'iris-continuation', steps: [{ text: 'went on' }] },
          { steps: [{ tool: { name: 'Bash', during: [{ waitForFile: file('never') }] } }, { text: 'done' }] },
        ],
      }),
      settings: { onInterrupted: 'continue' },
    })
    const { iris } = stage
    void ask(iris, 'backend', 'one', key).catch(() => {})
    const { sessionId, turnId } = await iris.event('turn-delivered')
    await eventually(() => iris.rows('SELECT 1 FROM tool_starts').length === 1, 'the tool has started')
    const path = join(iris.world.home, 'output_streams', sessionId, 'conversation.json')
    await eventually(() => existsSync(path) && readFileSync(path, 'utf8').includes('Bash'), 'it is on record')
    await iris.daemon.stop(0)
    rmSync(join(iris.world.home, 'data'), { recursive: true })
    rmSync(join(iris.world.home, 'store.json'))
    await iris.restart()
    await iris.daemon.discovered
    const again = await ask(iris, 'backend', 'one', key)
    expect(again).toMatchObject({ turnId, status: 'completed', response: 'went on' })
    expect(deliveredUuids(stage.fake.oracle())).toHaveLength(2)
  })
})
