import { expect, test } from 'vitest'
import type { TracedTurn } from '../contract.ts'
import { timesOf } from './time-line.ts'
import { ofAsker } from './without-below.ts'

const turn = {
  turnId: 'own',
  parentTurnId: null,
  from: 'program:ci',
  to: 'backend',
  thread: 'main',
  sessionId: 's1',
  message: 'asked',
  status: 'completed',
  reason: null,
  detail: null,
  acceptedAt: 1,
  settledAt: 9,
  usage: null,
  parentToolUseId: null,
  hop: 1,
  awaited: true,
  firstAt: 1,
  deliveredAt: 2,
  continuedAt: [],
  startedAt: 3,
  tools: [
    { toolUseId: 't', name: 'Bash', input: 'a secret', startedAt: 4, endedAt: 5, isError: false, state: 'ended' },
  ],
  permissions: [],
  spans: [],
  times: timesOf([]),
} satisfies TracedTurn
const under = { ...turn, turnId: 'below', parentTurnId: 'own', from: 'backend', to: 'mobile', message: 'a secret' }

test('a program sees of its own turn what became of it, and of what happened below the status', () => {
  const shown = ofAsker('program:ci', {
    turnId: 'own',
    rootTurnId: 'own',
    turns: [turn, under],
    toolsLeftOut: false,
    link: 'https://a.example',
    tree: { turns: 2, tokens: 5, costUsd: 0, endedAt: 9 },
    times: timesOf([]),
    steps: [{ at: 4, text: 'a secret' }],
    timestamp: 10,
  })
  expect(shown.turns).toMatchObject([
    { turnId: 'own', message: 'asked', to: 'backend', tools: [] },
    { turnId: 'below', parentTurnId: 'own', status: 'completed', settledAt: 9 },
  ])
  expect(shown.steps.map(({ text }) => text)).toEqual([
    'Iris accepted the message of program:ci for backend.',
    'It reached the front of its queue, and Iris got a process ready.',
    'It was given to Claude Code.',
    'Claude Code began to work on it.',
    'It ended: completed.',
  ])
  expect(JSON.stringify(shown)).not.toMatch(/a secret|mobile|s1".*s1"|a\.example/)
})
