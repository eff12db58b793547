import { expect, test } from 'vitest'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { KeptAnswers, type KeptAnswersParts } from './kept-answers.ts'

const question = {
  pair: { from: 'a', to: 'b', thread: 'main' },
  role: undefined,
  message: 'x',
  responseSchema: undefined,
}

/** The turns whose answers are kept, of those that were steered and those that were not. */
async function kept(...events: { type: string; turnId: string }[]): Promise<string[]> {
  const turns: string[] = []
  const project = {
    fileStates: async () => ({ head: undefined, files: [] }),
    lastChange: async () => 0,
    readText: async () => ({ kind: 'absent' }),
  }
  const parts = {
    rows: { add: ({ turn }: { turn: string }) => turns.push(turn) },
    ...{ toolStarts: { of: () => [] }, clock: { now: () => 1 }, log: { info: () => {} }, publish: () => {} },
    machines: {
      of: () => ({
        project,
        claude: { find: async () => undefined, path: (names: string[]) => `/claude/${names.join('/')}` },
      }),
    },
    config: () => ({ teams: new Map([['b', { realPath: '/projects/b' }]]), roles: new Map(), settings: {} }),
  } as unknown as KeptAnswersParts
  const answers = new KeptAnswers(parts)
  answers.take({ type: 'process-spawned', sessionId: 'main', at: 1, readyMs: 0 } as PublishedEvent)
  for (const turnId of ['one', 'two']) answers.watch(turnId, question)
  for (const event of events)
    answers.take({ ...event, to: 'b', sessionId: 'main', outcome: 'completed' } as unknown as PublishedEvent)
  await answers.noted()
  return turns
}

test('the answer of a turn that another message has joined is not kept: it answers both', async () => {
  const ended = ['one', 'two'].map((turnId) => ({ type: 'turn-settled', turnId }))
  expect(await kept(...ended)).toEqual(['one', 'two'])
  expect(await kept({ type: 'turn-steered', turnId: 'one' }, ...ended)).toEqual(['two'])
})
