import { expect, test } from 'vitest'
import type { DeliveryRow } from '../../platform/store/ledger.ts'
import { classifyInterruption, type Evidence } from './classify-interruption.ts'

const absent = { kind: 'absent' } as const
const answered = { kind: 'answered', answer: 'forty-two' } as const
const unfinished = {
  kind: 'unfinished',
  partial: 'for',
  openTools: ['Bash'],
  knownTools: ['u1-0', 'u1-1'],
  unreported: [],
} as const

function delivery(uuid: string, why: DeliveryRow['why']): DeliveryRow {
  return { uuid, why, turn: 't', committedAt: 0 }
}

function started(by: string, ...names: string[]) {
  return names.map((name, index) => ({
    turn: 't',
    toolUseId: `${by}-${index}`,
    delivery: by,
    name,
    inputHash: '',
    startedAt: 0,
  }))
}

const first = delivery('u1', 'first')
const more = delivery('u2', 'continue')

test.each<[string, Evidence, unknown]>([
  [
    'a complete answer in the transcript is the answer, whatever tools ran for it',
    { deliveries: [first], toolStarts: started('u1', 'Bash'), last: answered },
    { kind: 'answered', answer: 'forty-two' },
  ],
  [
    'no trace in the transcript and no tool started: the same again, under the same uuid',
    { deliveries: [first], toolStarts: [], last: absent },
    { kind: 'again', uuid: 'u1', continuing: undefined },
  ],
  [
    'no trace in the transcript, but the ledger knows of tools: continued, each tool named once',
    { deliveries: [first], toolStarts: started('u1', 'Bash', 'Edit', 'Bash'), last: absent },
    { kind: 'unfinished', from: { tools: ['Bash', 'Edit'], agents: [] } },
  ],
  [
    'begun in the transcript: continued; only its open tools are in question',
    { deliveries: [first], toolStarts: started('u1', 'Read', 'Bash'), last: unfinished },
    { kind: 'unfinished', from: { tools: ['Bash'], agents: [] } },
  ],
  [
    'a tool that started and that the transcript, written late, knows nothing of is in question too',
    { deliveries: [first], toolStarts: started('u1', 'Read', 'Bash', 'Edit'), last: unfinished },
    { kind: 'unfinished', from: { tools: ['Bash', 'Edit'], agents: [] } },
  ],
  [
    'a continuation that never arrived is sent again, with the tools of what it continues',
    { deliveries: [first, more], toolStarts: started('u1', 'Bash'), last: absent },
    { kind: 'again', uuid: 'u2', continuing: { tools: ['Bash'], agents: [] } },
  ],
  [
    'a continuation that started tools of its own is continued, with those',
    {
      deliveries: [first, more],
      toolStarts: [...started('u1', 'Bash'), ...started('u2', 'Edit')],
      last: absent,
    },
    { kind: 'unfinished', from: { tools: ['Edit'], agents: [] } },
  ],
])('%s', (_, evidence, judgement) => {
  expect(classifyInterruption(evidence)).toEqual(judgement)
})

test('a turn without a delivery is nothing to judge', () => {
  expect(() => classifyInterruption({ deliveries: [], toolStarts: [], last: absent })).toThrow('without a delivery')
})
