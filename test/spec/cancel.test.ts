import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Turn } from '../../src/kernel/turn/turn.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { effects, type OracleEntry } from '../support/oracle.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const pair = { team: 'backend', fromTeam }
const [startGrace, endGrace] = [1000, 5000]

/** A message to hold makes it wait for a gate that is never opened. */
const holds = (file: (name: string) => string) => ({
  rules: [
    { when: 'hold', steps: [{ partial: 'Holding ' }, { waitForFile: file('never') }] },
    { when: 'freeze', steps: [{ partial: 'Freezing ' }, { stop: true as const }] },
    {
      when: 'write',
      steps: [
        { partial: 'Writing ' },
        {
          tool: {
            name: 'Read',
            during: [{ appendFile: { path: file('effects'), line: 'once' } }, { waitForFile: file('never') }],
          },
        },
      ],
    },
    { steps: [{ text: 'turn {{turnNumber}}' }] },
  ],
})

function living(stage: Stage, turnId: string): Turn {
  const turn = stage.iris.daemon.parts.orchestrator.turn(turnId)
  if (turn === undefined) throw new Error(`turn ${turnId} does not live`)
  return turn
}

function cancel(stage: Stage, turnId: string): void {
  stage.iris.daemon.parts.orchestrator.cancel(turnId)
}

/** Sends it without waiting; the id of its turn. */
async function send(stage: Stage, message: string, args: object = {}): Promise<string> {
  return (await ask(stage.iris, 'backend', message, { fromTeam, timeout: -1, ...args })).turnId
}

/** Texts of the messages that were run, without what wraps them. */
function texts(entries: readonly OracleEntry[]): string[] {
  return entries.flatMap((entry) => (entry.event === 'message' && entry.ran ? [entry.text.split('\n')[1] ?? ''] : []))
}

describe('a message is cancelled', () => {
  test('while its process starts: the process stays, for the next message', async () => {
    await using stage = await Stage.start({ script: { startDelayMs: 300 } })
    const turnId = await send(stage, 'too late')
    cancel(stage, turnId)
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'cancelled', delivered: false })
    expect(await ask(stage.iris, 'backend', 'hello', { fromTeam })).toMatchObject({ status: 'completed' })
    expect(stage.starts()).toEqual(['start'])
    expect(texts(stage.fake.oracle())).toEqual(['hello'])
  })

  test('when it is written and nothing has come back: its process, which says nothing, is ended', async () => {
    await using stage = await Stage.start()
    const { iris, clock } = stage
    await callTool(iris, 'team_wake', pair)
    process.kill((await iris.event('process-spawned')).pid, 'SIGSTOP')
    const turnId = await send(stage, 'hello')
    cancel(stage, turnId)
    await clock.jump(startGrace)
    // It does not take the interrupt, nor SIGTERM.
    for (const _ of ['interrupt', 'SIGTERM']) {
      await eventually(() => clock.pending(endGrace) > 0, 'it gets a moment')
      await clock.jump(endGrace)
    }
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'cancelled', delivered: false })
    expect(await ask(iris, 'backend', 'next', { fromTeam })).toMatchObject({ status: 'completed' })
  })

  test('while it waits behind a turn of Claude Code itself: it is taken back, and that turn goes on', async () => {
    const script = (file: (name: string) => string) => ({
      rules: [
        {
          when: 'background',
          steps: [{ backgroundTask: { id: 'b1', endsAfterFile: file('end'), prompt: 'own turn' } }],
        },
        { when: 'own turn', steps: [{ touchFile: file('own') }, { waitForFile: file('done') }] },
        { steps: [{ text: 'turn {{turnNumber}}' }] },
      ],
    })
    await using stage = await Stage.start({ script })
    const { iris, fake, clock } = stage
    await ask(iris, 'backend', 'do it in the background', { fromTeam })
    fake.open('end')
    await eventually(() => fake.exists('own'), 'its own turn has begun')
    const turnId = await send(stage, 'hello')
    await eventually(() => clock.pending(120_000) === 1, 'the message is written')
    cancel(stage, turnId)
    await clock.jump(startGrace)
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'cancelled', delivered: false })
    fake.open('done')
    expect(await ask(iris, 'backend', 'next', { fromTeam })).toMatchObject({ response: 'turn 3' })
    expect(stage.starts()).toEqual(['start'])
  })

  test('in the middle of text: the text is kept, the process takes the next message', async () => {
    await using stage = await Stage.start({ script: holds })
    const turnId = await send(stage, 'hold')
    await stage.said('Holding ')
    cancel(stage, turnId)
    const ended = await stage.status(turnId, 0)
    expect(ended).toMatchObject({ status: 'cancelled', partialResponse: 'Holding ', delivered: true })
    expect(ended).not.toHaveProperty('response')
    expect(await ask(stage.iris, 'backend', 'next', { fromTeam })).toMatchObject({ response: 'turn 2' })
    expect(stage.starts()).toEqual(['start'])
  })

  test('in the middle of a tool: what the tool did is done once and not taken up again', async () => {
    await using stage = await Stage.start({ script: holds })
    const { fake } = stage
    const turnId = await send(stage, 'write')
    await eventually(() => fake.exists('effects'), 'the tool has had its effect')
    cancel(stage, turnId)
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'cancelled', partialResponse: 'Writing ' })
    expect(await ask(stage.iris, 'backend', 'next', { fromTeam })).toMatchObject({ response: 'turn 2' })
    expect(effects(fake.oracle()).map(({ line }) => line)).toEqual(['once'])
  })

  test('while its process hangs: it is ended, and nothing is sent again', async () => {
    await using stage = await Stage.start({ script: holds, movesMachine: true })
    const { iris, clock } = stage
    const turnId = await send(stage, 'freeze')
    await stage.said('Freezing ')
    cancel(stage, turnId)
    for (const _ of ['interrupt', 'SIGTERM']) {
      await eventually(() => clock.pending(endGrace) > 0, 'it gets a moment')
      await clock.jump(endGrace)
    }
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'cancelled', partialResponse: 'Freezing ' })
    expect(await iris.event('process-exited')).toMatchObject({ signal: 'SIGKILL' })
    expect(await ask(iris, 'backend', 'next', { fromTeam })).toMatchObject({ status: 'completed' })
    expect(texts(stage.fake.oracle())).toEqual(['freeze', 'next'])
  })

  test('after its end: nothing happens', async () => {
    await using stage = await Stage.start({ script: holds })
    const { turnId } = await ask(stage.iris, 'backend', 'hello', { fromTeam })
    cancel(stage, turnId)
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'completed', response: 'turn 1' })
    expect(await ask(stage.iris, 'backend', 'next', { fromTeam })).toMatchObject({ response: 'turn 2' })
  })

  test('at any of its lines: it ends once, one way or the other, and the next message is clean', {
    tags: ['thorough'],
  }, async () => {
    const steps = [{ thinking: 'hm' }, { tool: { name: 'Read', output: 'a file' } }, { text: 'answered' }]
    await using stage = await Stage.start({
      script: { rules: [{ when: 'next', steps: [{ text: 'clean' }] }, { steps }] },
    })
    const { iris } = stage
    const linesBefore = [0, 1, 2, 4, 7, 11, 16, 22]
    const ends = await Promise.all(
      linesBefore.map(async (count) => {
        const thread = `after-${count}`
        let lines = 0
        const cancelled = new Promise<void>((resolve) => {
          iris.events$.subscribe((event) => {
            const counts = event.type === 'turn-accepted' || event.type === 'turn-message'
            if (!counts || event.thread !== thread || event.sequence < 0 || lines++ !== count) return
            cancel(stage, event.turnId)
            resolve()
          })
        })
        const turnId = await send(stage, 'hello', { thread })
        const end = await stage.status(turnId, 0)
        if (end.status !== 'completed') await cancelled
        const next = await ask(iris, 'backend', 'next', { fromTeam, thread })
        return `${end.status}, then ${next.status}: ${next.response}`
      }),
    )
    for (const end of ends) expect(end).toMatch(/^(cancelled|completed), then completed: clean$/)
    expect(ends.filter((end) => end.startsWith('cancelled')).length).toBeGreaterThan(3)
  })

  test('and with it the asks that it waits for, in other teams too', async () => {
    const script = (file: (name: string) => string) => ({
      rules: [
        { when: 'to="mobile"', steps: [{ partial: 'Mobile thinks ' }, { waitForFile: file('never') }] },
        { when: 'next', steps: [{ text: 'clean' }] },
        {
          steps: [{ mcpCall: { name: 'send_message', arguments: { toTeam: 'mobile', message: 'think', timeout: 0 } } }],
        },
      ],
    })
    await using stage = await Stage.start({ script })
    const { iris } = stage
    const turnId = await send(stage, 'ask mobile')
    const nested = await stage.said('Mobile thinks ')
    cancel(stage, turnId)
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'cancelled', reason: 'cancelled' })
    expect(await stage.status(nested, 0)).toMatchObject({
      status: 'cancelled',
      reason: 'asker_cancelled',
      partialResponse: 'Mobile thinks ',
    })
    expect(await ask(iris, 'backend', 'next', { fromTeam })).toMatchObject({ response: 'clean' })
    expect(stage.starts()).toEqual(['start', 'start'])
  })

  test('and nobody listens to it any more', async () => {
    await using stage = await Stage.start({ script: holds })
    const turnId = await send(stage, 'hold')
    await stage.said('Holding ')
    const turn = living(stage, turnId)
    let completed = false
    turn.messages$.subscribe({ complete: () => (completed = true) })
    expect(getEventListeners(turn.cancelled, 'abort')).toHaveLength(1)
    cancel(stage, turnId)
    await turn.settled
    expect(completed).toBe(true)
    expect(getEventListeners(turn.cancelled, 'abort')).toHaveLength(0)
  })
})

describe('team_sleep with force', () => {
  const force = { ...pair, force: true }

  test('cancels what runs and ends the process; the conversation is kept', async () => {
    await using stage = await Stage.start({ script: holds })
    const { iris } = stage
    await ask(iris, 'backend', 'hello', { fromTeam })
    const turnId = await send(stage, 'hold')
    await stage.said('Holding ')
    expect(await callTool(iris, 'team_sleep', force)).toMatchObject({ status: 'asleep', cancelledTurnId: turnId })
    expect(await stage.status(turnId)).toMatchObject({ status: 'cancelled', partialResponse: 'Holding ' })
    // Interrupted first, then asked to leave, not killed at work.
    expect((await iris.event('process-exited')).code).not.toBe(143)
    expect(await ask(iris, 'backend', 'next', { fromTeam })).toMatchObject({ response: 'turn 3' })
    expect(stage.starts()).toEqual(['start', 'resume'])
  })

  test('cancels a message whose process is just starting', async () => {
    await using stage = await Stage.start({ script: { startDelayMs: 300 } })
    const { iris } = stage
    const turnId = await send(stage, 'too late')
    expect(await callTool(iris, 'team_sleep', force)).toMatchObject({ status: 'asleep', cancelledTurnId: turnId })
    expect(await stage.status(turnId)).toMatchObject({ status: 'cancelled', delivered: false })
    expect(await callTool(iris, 'team_sleep', force)).toMatchObject({ status: 'already_asleep' })
    expect(texts(stage.fake.oracle())).toEqual([])
  })

  test('of a pair with a queue cancels the running message only; the next one wakes it and is not cut off', async () => {
    await using stage = await Stage.start({ script: holds })
    const { iris, fake } = stage
    const running = await send(stage, 'hold')
    await stage.said('Holding ')
    const queued = await send(stage, 'write')
    const whenItEnded: unknown[] = []
    iris.events$.subscribe(({ type }) => {
      if (type === 'process-exited') whenItEnded.push(...iris.rows(`SELECT state FROM turns WHERE id = '${queued}'`))
    })
    expect(await callTool(iris, 'team_sleep', force)).toMatchObject({ status: 'asleep', cancelledTurnId: running })
    expect(whenItEnded).toEqual([{ state: 'accepted' }])
    await stage.said('Writing ')
    await eventually(() => fake.exists('effects'), 'the tool has had its effect')
    expect(await stage.status(queued)).toMatchObject({ status: 'async', partialResponse: 'Writing ' })
    cancel(stage, queued)
    await stage.status(queued, 0)
    expect(texts(fake.oracle())).toEqual(['hold', 'write'])
  })

  test('of a pair at rest just ends its process', async () => {
    await using stage = await Stage.start({ script: holds })
    const { iris } = stage
    await ask(iris, 'backend', 'hello', { fromTeam })
    const slept = await callTool(iris, 'team_sleep', force)
    expect(slept).toMatchObject({ status: 'asleep' })
    expect(slept).not.toHaveProperty('cancelledTurnId')
  })
})
