import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Command } from './commands.ts'
import type { Plan, Step } from './question.ts'
import { type Schedule, Theatre } from './schedule.ts'

/** What random schedules found, as they were shrunk. */
let theatre: Theatre
beforeAll(async () => {
  theatre = await Theatre.open()
})
afterAll(() => theatre[Symbol.dispose]())

/** Nothing is searched or deleted in them: each start of the thread that indexes would take longer than the rest. */
const leftOut = new Set(['search'])

function months(...commands: readonly Command[]): Schedule {
  return { seed: 0, flushDelayMs: 0, contextWindow: 200_000, maxProcesses: 2, commands, leftOut }
}

function command(name: Command['name'], args: unknown, ms = 0): Command {
  return { name, args, steps: 0, ms }
}

function ask(from: string, to: string, ...steps: readonly Step[]): Command {
  const plan: Plan = { steps, end: 'answer' }
  return command('ask', { from, to, thread: 'main', timeout: 0, plan, key: false })
}

const answer: Plan = { steps: [], end: 'answer' }

test.each([
  ['the store shows no process for a turn that ended with its own', months(ask('external', 'a', { do: 'hang' }))],
  [
    'the store shows no process for a conversation that was replaced while its process started',
    months(
      ask('external', 'a'),
      command('pass', 120),
      command('restart', { graceMs: 0 }),
      command('deleteTranscript', { nth: 0, kept: true }),
      ask('external', 'a'),
    ),
  ],
  [
    'of what nobody used for a month nothing is left where that is wished, and the next message says so',
    months(
      command('edit', { deleteArchivedFiles: true, archiveAfterDays: 30 }),
      command('restart', { graceMs: 0 }),
      ask('external', 'a'),
      command('pass', 120 * 86_400_000),
      ask('external', 'a'),
    ),
  ],
  [
    'after a crash an agent is told which team it had asked, so that it asks that one no second time',
    months(command('crashAt', { at: 'settled', count: 1, how: 'SIGTERM', downMs: 0 }), {
      ...ask('external', 'a', { do: 'ask', to: 'b', timeout: 0, plan: answer }),
      ms: 1000,
    }),
  ],
  [
    "what the CLI says in a turn of its own is nobody's answer after a crash either",
    months(
      command('ask', {
        from: 'external',
        to: 'a',
        thread: 'main',
        timeout: 0,
        key: false,
        plan: { steps: [{ do: 'unsolicited' }], end: 'api_error' },
      }),
      command('crashAt', { at: 'result-read', count: 1, how: 'SIGTERM', downMs: 0 }, 1000),
      ask('external', 'a'),
    ),
  ],
  [
    'nobody is woken while the process of a dead daemon still lives: two would write to its conversation',
    months(
      ask('external', 'a', { do: 'hang' }),
      command('crashAt', { at: 'accepted', count: 1, how: 'SIGTERM', downMs: 0 }, 110),
      ask('external', 'a'),
      command('pass', 110),
      command('wakeAll', { parallel: false }),
      ask('external', 'a'),
    ),
  ],
  [
    'a message that was to be continued in a conversation that is lost then is said again in the next one',
    {
      ...months(
        ask('external', 'a', { do: 'think', ms: 0 }),
        ask('c', 'a'),
        command('crashAt', { at: 'accepted', count: 1, how: 'SIGTERM', downMs: 0 }, 30),
        command('crashAt', { at: 'written', count: 1, how: 'stdin', downMs: 0 }, 110),
        command('deleteTranscript', { nth: 0, kept: true }),
        command('kill', { nth: 0, lines: 0 }),
      ),
      maxProcesses: 1,
    },
  ],
])('%s', async (_, schedule) => {
  expect((await theatre.play(schedule)).breaches).toEqual([])
})

/** The power fails in the moment in which a message is accepted, answered and its end told, after so much of it. */
test.each([
  ['that nobody waits for', -1, []],
  ['without effects', 0, []],
  ['with an effect', 0, [{ do: 'write', ms: 0 }]],
] as const)('a power cut takes nothing of a message %s but an end without effects', async (_, timeout, steps) => {
  const plan: Plan = { steps, end: 'answer' }
  const asked = command('ask', { from: 'external', to: 'a', thread: 'main', timeout, key: false, plan })
  const cut = { how: 'power cut', downMs: 0 }
  const after = async (...commands: readonly Command[]): Promise<readonly string[]> =>
    (await theatre.play(months(ask('external', 'a'), command('pass', 2500), ...commands))).breaches
  for (let count = 1; count <= 14; count++) {
    expect(await after({ ...asked, steps: count }, command('crash', cut))).toEqual([])
    expect(await after(command('crashAt', { at: 'traffic', count, ...cut }), { ...asked, ms: 110 })).toEqual([])
  }
  for (const at of ['accepted', 'written', 'result-read', 'settled'])
    expect(await after(command('crashAt', { at, count: 1, ...cut }), { ...asked, ms: 110 })).toEqual([])
})

test('on a day with background work in every third turn no answer is shifted, and each report is recorded once', async () => {
  const [shortMs, longMs] = [10_000, 30 * 60_000]
  // At the last of these, the next message comes while the agent reports, and joins that turn.
  const endsAfter = [50, shortMs / 2, shortMs - 1000]
  const asks = Array.from({ length: 72 }, (_, index) => {
    const work: Step[] = index % 3 === 0 ? [{ do: 'background', ms: endsAfter[(index / 3) % 3]! }] : []
    return [ask('external', 'a', ...work), command('pass', index % 3 === 0 ? shortMs : longMs)]
  })
  const { breaches, tally } = await theatre.play(months(...asks.flat()))
  expect(breaches).toEqual([])
  expect(tally).toMatchObject({ completed: 72, report: 16, 'report before a message joined': 8 })
})

test('after a crash a message that waited for a turn of the CLI’s own is given to it again: that turn’s tools are not its own', async () => {
  const { breaches, tally } = await theatre.play(
    months(
      ask('external', 'a', { do: 'background', ms: 50 }),
      command('pass', 1000),
      ask('external', 'a'),
      // The turn of the CLI's own starts its tool.
      command('pass', 1000),
      command('crash', { how: 'SIGKILL', downMs: 0 }),
    ),
  )
  expect(breaches).toEqual([])
  expect(tally).toMatchObject({ completed: 2 })
  expect(tally).not.toHaveProperty('continued')
})
