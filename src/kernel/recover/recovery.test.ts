import { describe, expect, test } from 'vitest'
import type { AgentEvidence } from '../../base/agent/agent.ts'
import { readDelivery } from '../../claude/driver/transcript.ts'
import type { Session } from '../session/session.ts'
import type { OwnedTurn } from '../turn/owned-turn.ts'
import type { OrchestratorParts } from './parts.ts'
import { Recovery } from './recovery.ts'

type Message = readonly [text: string, stopReason: string]

/** A transcript with these deliveries, each followed by the model's messages. */
function transcript(deliveries: Readonly<Record<string, readonly Message[]>>) {
  const lines = Object.entries(deliveries).flatMap(([uuid, messages]) => [
    { type: 'user', uuid, message: { role: 'user', content: '<iris-message from="a" to="b" thread="main">' } },
    ...messages.map(([text, stop_reason], index) => ({
      type: 'assistant',
      message: { id: `${uuid}-${index}`, model: 'claude', stop_reason, content: [{ type: 'text', text }] },
    })),
  ])
  const bytes = Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
  return { size: bytes.length, read: async (start: number, length: number) => bytes.subarray(start, start + length) }
}

/** The plan for a turn with these deliveries, of which the transcript has those in `held`. */
async function planFor(
  uuids: readonly string[],
  held: Readonly<Record<string, readonly Message[]>>,
  missing: readonly object[] = [],
) {
  const parts = {
    config: () => ({ settings: { onInterrupted: 'continue' }, teams: new Map(), formerTeams: new Map() }),
    log: { info: () => {} },
    newId: () => 'next',
    launcher: { setups: { missingIn: () => missing } },
    evidence: { delivery: (_, sought) => readDelivery(transcript(held), sought) } satisfies Partial<AgentEvidence>,
    notices: { ofTurn: () => [] },
    ledger: {
      deliveriesOf: () => uuids.map((uuid, index) => ({ uuid, why: index === 0 ? 'first' : 'continue' })),
      openAgents: { of: () => [] },
      toolStarts: { of: () => [] },
      steers: { of: () => [] },
      asksOf: () => [],
    },
  } as unknown as OrchestratorParts
  const pair = { from: 'a', to: 'b', thread: 'main' }
  const session = { ...pair, row: { lastAnsweredDelivery: null } } as unknown as Session
  const facts = { message: 'how?', responseSchema: null }
  const turn = { id: 't', facts, value: undefined, partialText: '' } as unknown as OwnedTurn
  const plan = await new Recovery(session, parts, () => undefined).plan(turn)
  // The text for a conversation that lacks the message.
  return plan.kind === 'deliver' ? { ...plan, text: plan.text?.words(false) } : plan
}

const goesOn = expect.stringContaining('Continue exactly where it stopped.')

describe('after a crash, a reply that the API paused', () => {
  const half: Message = ['One half, ', 'pause_turn']

  test('is asked for once more, with the message', async () => {
    const plan = await planFor(['d1'], { d1: [half] })
    expect(plan).toMatchObject({ kind: 'deliver', why: 'continue', uuid: 'next', text: goesOn })
    expect(plan).toMatchObject({ text: expect.stringContaining('how?') })
  })

  test('is asked for again in the same words if that had not arrived', async () => {
    expect(await planFor(['d1', 'd2'], { d1: [half] })).toMatchObject({ why: 'again', uuid: 'd2', text: goesOn })
  })

  test('and its second half are the answer', async () => {
    const plan = await planFor(['d1', 'd2'], { d1: [half], d2: [['and the other.', 'end_turn']] })
    expect(plan).toMatchObject({ kind: 'settle', verdict: { answer: 'One half, and the other.' } })
  })

  test('is not asked for a third time', async () => {
    const plan = await planFor(['d1', 'd2'], { d1: [half], d2: [['another, ', 'pause_turn']] })
    const verdict = { outcome: 'failed', reason: 'paused', partial: 'One half, another, ' }
    expect(plan).toMatchObject({ kind: 'settle', verdict })
  })

  test('keeps what it had said when the second half was cut off', async () => {
    const held: Record<string, Message[]> = { d1: [half], d2: [['and', 'tool_use']], d3: [['the rest.', 'end_turn']] }
    const { d3: _, ...before } = held
    expect(await planFor(['d1', 'd2'], before)).toMatchObject({
      kind: 'deliver',
      why: 'continue',
      text: expect.stringContaining('was interrupted before'),
    })
    expect(await planFor(['d1', 'd2', 'd3'], held)).toMatchObject({ verdict: { answer: 'One half, the rest.' } })
  })
})

test('after a crash, an answer in the transcript says which MCP servers the agent did not have', async () => {
  const missing = [{ name: 'shop', needsLogin: false }]
  const held: Record<string, Message[]> = { d1: [['forty-two', 'end_turn']] }
  const detail = 'The agent answered without MCP servers that did not start: shop.'
  expect(await planFor(['d1'], held, missing)).toMatchObject({ verdict: { answer: 'forty-two', detail } })
  expect(await planFor(['d1'], held)).toMatchObject({ verdict: { answer: 'forty-two', detail: null } })
})
