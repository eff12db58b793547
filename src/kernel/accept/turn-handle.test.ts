import { expect, test } from 'vitest'
import { Turns } from './turn-handle.ts'

test('of messages that come all at once, each turn of the event loop accepts a few, in their order', async () => {
  const accepted: string[] = []
  const orchestrator = { ask: ({ message }: { message: string }) => accepted.push(message) && message }
  const seams = { contracts: { concerns: () => false } }
  const turns = new Turns(orchestrator as never, seams as never, {} as never)
  const ask = (message: string) => turns.ask({ message } as never).catch(() => {})
  const crowd = Array.from({ length: 40 }, (_, number) => ask(`${number}`))
  const perTurn: number[] = []
  for (let before = 0; before < 40; before = accepted.length) {
    await new Promise((resolve) => setImmediate(resolve))
    perTurn.push(accepted.length - before)
  }
  await Promise.all(crowd)
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(16)
  expect(accepted).toEqual(Array.from({ length: 40 }, (_, number) => `${number}`))
})
