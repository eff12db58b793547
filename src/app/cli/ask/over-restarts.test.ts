import { expect, test } from 'vitest'
import { Unanswered } from '../../../adapters/client/exchange.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { NotStarted } from '../running-daemon.ts'
import { overRestarts } from './over-restarts.ts'

const gone = new IrisError('daemon_unreachable', 'Iris is no longer running.', 'Run "iris start".')

/** Makes a call that fails in these ways, one after the other, the last one forever. Returns how often it was made. */
async function made(failures: readonly (Error | undefined)[], patienceMs?: number) {
  let calls = 0
  const call = async (): Promise<string> => {
    const failure = failures[Math.min(calls, failures.length - 1)]
    calls += 1
    if (failure !== undefined) throw failure
    return 'answer'
  }
  const end = await overRestarts(new AbortController().signal, call, patienceMs).catch((error: Error) => error)
  return { calls, end }
}

test('a call that loses its daemon is made again: to another one, and to one that is there after a moment', async () => {
  expect(await made([new Unanswered(true, undefined), gone, gone, undefined])).toEqual({ calls: 4, end: 'answer' })
})

test('a call that loses each daemon is given up, and so is one for which none can be started', async () => {
  const loss = new Unanswered(true, undefined)
  expect(await made([loss])).toEqual({ calls: 11, end: loss })
  const failure = new NotStarted(new IrisError('config_invalid', 'config.yaml has a mistake.', 'Fix it.'))
  expect(await made([loss, failure])).toEqual({ calls: 2, end: failure })
})

test('a daemon that was stopped is waited for no longer than it is said, and other errors not at all', async () => {
  expect(await made([gone], 0)).toMatchObject({ end: gone })
  const refusal = new IrisError('unknown_turn', 'There is no such turn.', 'Look at "iris sessions".')
  expect(await made([refusal])).toEqual({ calls: 1, end: refusal })
})
