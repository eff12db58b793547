import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { Program } from '../support/program.ts'
import { Stage } from '../support/stage.ts'
import { spoken } from '../support/world.ts'

const teams = ['frontend', 'backend', 'mobile', 'web']
const fromTeam = 'frontend'

/** A path of teams: each asks the next one with the rest; at its end the model never answers. */
const relays: Script = ({ conversation: { lastUserText, step } }) => {
  const [next, ...rest] = spoken(lastUserText).split(' > ')
  if (next === 'think') return { stall: 'started' }
  const input = { toTeam: next, message: rest.join(' > '), timeout: 0 }
  return step === 0 ? { toolUses: [{ name: 'mcp__iris__send_message', input }] } : { text: 'never' }
}

test('with the real Claude Code: "iris stop --tree" ends it three deep, and says what it ended', async () => {
  await using iris = await TestIris.start({ claude: 'either', script: relays, teams })
  const { turnId } = await ask(iris, 'backend', 'mobile > web > think', { fromTeam, timeout: -1 })
  const behind = await ask(iris, 'backend', 'think', { fromTeam, timeout: -1 })
  for (const team of ['backend', 'mobile', 'web']) await iris.event('turn-delivered', ({ to }) => to === team)
  const env = { ...iris.world.env, IRIS_HOME: iris.world.home }
  const command = new Program(['stop', '--tree', turnId.slice(0, 13)], { cwd: iris.world.root, env })
  const { code, stdout } = await command.ended
  expect({ code, lines: stdout.split('\n').map((line) => line.replace(/[0-9a-f-]{36}/, 'ID')) }).toEqual({
    code: 0,
    lines: [
      '3 turns were ended; what they had done so far stays done.',
      '  ID  frontend→backend  cancelled',
      '  ID  backend→mobile  cancelled',
      '  ID  mobile→web  cancelled',
      '',
    ],
  })
  expect(await callTool(iris, 'message_status', { turnId, timeout: 0 })).toMatchObject({
    status: 'cancelled',
    detail: `Turn ${turnId} was ended on request, with everything it had caused.`,
  })
  // Turns that do not belong to it continue.
  await iris.event('turn-delivered', (event) => event.turnId === behind.turnId)
})

describe('a tree', () => {
  const script = (file: (name: string) => string) => ({
    flushDelayMs: 0,
    rules: [
      { when: 'to="web"', steps: [{ partial: 'Web thinks ' }, { waitForFile: file('never') }] },
      {
        when: 'to="mobile"',
        steps: [
          { mcpCall: { name: 'send_message', arguments: { toTeam: 'web', message: 'think', timeout: -1 } } },
          { mcpCall: { name: 'send_message', arguments: { toTeam: 'web', message: 'then', timeout: -1 } } },
          { text: 'asked' },
        ],
      },
      {
        steps: [
          { mcpCall: { name: 'send_message', arguments: { toTeam: 'mobile', message: 'go', timeout: 0 } } },
          { text: 'answered' },
        ],
      },
    ],
  })
  const endTree = (iris: TestIris, turnId: string) => callTool(iris, 'session_cancel', { turnId, tree: true })

  test('ends although the turn itself has: what nobody waits for, running or in the queue', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ script, teams })
    const { turnId, status } = await ask(stage.iris, 'backend', 'go', { fromTeam })
    expect(status).toBe('completed')
    const running = await stage.said('Web thinks ')
    const told = await endTree(stage.iris, turnId)
    expect(told).toMatchObject({ attempted: true, cancelled: true, turnId })
    expect(told['ended']).toEqual([
      expect.objectContaining({ turnId: running, from: 'mobile', to: 'web', outcome: 'cancelled' }),
      expect.objectContaining({ from: 'mobile', to: 'web', outcome: 'cancelled' }),
    ])
    expect(stage.fake.oracle().filter(({ event }) => event === 'message')).toHaveLength(3)
    expect(await endTree(stage.iris, turnId)).toMatchObject({ attempted: false, cancelled: false, ended: [] })
  })

  test('that ends asks nothing more', async () => {
    await using stage = await Stage.start({
      script: (file) => ({
        rules: [
          {
            steps: [
              { partial: 'Wait ' },
              { waitForFile: file('go') },
              { mcpCall: { name: 'send_message', arguments: { toTeam: 'mobile', message: 'late', timeout: -1 } } },
            ],
          },
        ],
      }),
      teams,
    })
    const { iris, fake } = stage
    const { orchestrator } = iris.daemon.parts
    const asked = ask(iris, 'backend', 'go', { fromTeam, timeout: -1 })
    const turnId = await stage.said('Wait ')
    await asked
    orchestrator.endTree(turnId, { reason: 'cancelled', detail: 'On request.' })
    const pair = { from: 'backend', to: 'mobile', thread: 'main' }
    const late = { pair, message: 'late', waits: false, idempotencyKey: undefined }
    expect(() => orchestrator.ask({ ...late, parent: { turnId, toolUseId: 't' } })).toThrow(
      expect.objectContaining({ code: 'asker_ended' }),
    )
    fake.open('go')
    await stage.status(turnId, 0)
    expect(iris.rows('SELECT id FROM turns')).toEqual([{ id: turnId }])
  })

  test('is not taken up again when Iris dies while it ends', async () => {
    await using stage = await Stage.start({ script, teams })
    const { iris } = stage
    const { turnId } = await ask(iris, 'backend', 'go', { fromTeam })
    const running = await stage.said('Web thinks ')
    // As a daemon leaves it that was killed right after the commit.
    await iris.daemon.stop(0)
    stage.change(`UPDATE turns SET ending = '{"reason":"cancelled","detail":"On request."}' WHERE state <> 'settled'`)
    await iris.restart()
    await iris.daemon.recovered
    expect(await stage.status(running)).toMatchObject({ status: 'cancelled', detail: 'On request.' })
    expect(stage.fake.oracle().filter(({ event }) => event === 'message')).toHaveLength(3)
    expect(await endTree(iris, turnId)).toMatchObject({ ended: [] })
  })

  test('is named by the beginning of its id, if that is one turn', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ teams })
    const ids = await Promise.all(
      Array.from(
        { length: 40 },
        async (_, n) => (await ask(stage.iris, 'backend', `${n}`, { thread: `t${n % 2}`, timeout: -1 })).turnId,
      ),
    )
    for (const id of ids) await stage.status(id, 0)
    const shared = ids.find((id) => ids.some((other) => other !== id && other[0] === id[0]))!
    expect(await refusal(stage.iris, 'session_cancel', { turnId: 'ffff-nothing', tree: true })).toMatchObject({
      code: 'unknown_turn',
    })
    const { trees } = stage.iris.daemon.parts
    expect(trees.beginningWith(shared[0]!)).toHaveLength(2)
    expect(trees.beginningWith(shared)).toEqual([shared])
    expect(await endTree(stage.iris, shared.slice(0, 18).toUpperCase())).toMatchObject({ turnId: shared })
  })
})
