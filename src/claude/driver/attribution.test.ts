import { expect, test } from 'vitest'
import { Attribution } from './attribution.ts'
import type { Line } from './line.ts'

const init: Line = { type: 'system', subtype: 'init' }
const text: Line = { type: 'assistant', message: { content: 'text' } }
const result: Line = { type: 'result', subtype: 'success' }
const ownResult: Line = { ...result, origin: { kind: 'task-notification' } }
const retry: Line = { type: 'system', subtype: 'api_retry' }
const echo = (uuid: string): Line => ({ type: 'user', isReplay: true, uuid, timestamp: '2026-11-23T01:22:43.708Z' })

/** The kind of each line and how many lines it released: "ours 2" is the line itself and one held line. */
function meanings(attribution: Attribution, ...lines: Line[]): string[] {
  return lines.map((line) => {
    const attributed = attribution.take(line)
    return 'lines' in attributed ? `${attributed.kind} ${attributed.lines.length}` : attributed.kind
  })
}

function expecting(uuid: string, { alone }: { alone: boolean }): Attribution {
  const attribution = new Attribution()
  attribution.expect(uuid, alone)
  return attribution
}

test('in a quiet process the next turn to begin is ours, from its first line', () => {
  const attribution = expecting('u1', { alone: true })
  expect(meanings(attribution, init, echo('u1'), text, result)).toEqual(['ours 1', 'ours 1', 'ours 1', 'result 1'])
})

test('where something else goes on, a turn is ours once it names our message', () => {
  const attribution = expecting('u1', { alone: false })
  expect(meanings(attribution, init, echo('u1'), text, result)).toEqual(['held', 'ours 2', 'ours 1', 'result 1'])
})

test('newer builds name the message in the first line already', () => {
  const attribution = expecting('u1', { alone: false })
  expect(meanings(attribution, { ...init, user_message_uuids: ['u0', 'u1'] }, result)).toEqual(['ours 1', 'result 1'])
})

test('a turn of the CLI’s own before ours is nobody’s answer', () => {
  const attribution = expecting('u1', { alone: false })
  const lines = [init, text, result, init, echo('u1'), text, result]
  expect(meanings(attribution, ...lines)).toEqual([
    ...['held', 'held', 'unsolicited 3'],
    ...['held', 'ours 2', 'ours 1', 'result 1'],
  ])
})

test('a result that says it is the CLI’s own is not ours, even in our turn', () => {
  const attribution = expecting('u1', { alone: true })
  expect(meanings(attribution, init, ownResult, text, { ...result, origin: null })).toEqual([
    ...['ours 1', 'unsolicited 1', 'ours 1', 'result 1'],
  ])
})

test('a result that comes twice, or when nobody asked, is nobody’s', () => {
  const attribution = expecting('u1', { alone: true })
  expect(meanings(attribution, init, result, result, init, result)).toEqual([
    ...['ours 1', 'result 1', 'unsolicited 1', 'held', 'unsolicited 2'],
  ])
})

test('the echo of another message claims nothing', () => {
  const attribution = expecting('u2', { alone: false })
  expect(meanings(attribution, init, echo('u1'), result)).toEqual(['held', 'held', 'unsolicited 3'])
})

test('a late result of the turn before does not answer the next message', () => {
  const attribution = expecting('u1', { alone: true })
  meanings(attribution, init, result)
  attribution.expect('u2', true)
  expect(meanings(attribution, result, init, text, result)).toEqual(['unsolicited 1', 'ours 1', 'ours 1', 'result 1'])
})

test('a retry of the API is told at once, before anything says whose it is; not when nobody waits', () => {
  const attribution = expecting('u1', { alone: false })
  expect(meanings(attribution, init, retry, echo('u1'), result, retry)).toEqual([
    ...['held', 'ours 1', 'ours 2', 'result 1', 'held'],
  ])
})

test('a message that was taken back claims nothing any more', () => {
  const attribution = expecting('u1', { alone: true })
  attribution.forget()
  expect(meanings(attribution, init, echo('u1'), result)).toEqual(['held', 'held', 'unsolicited 3'])
})

test('what nobody claims is held up to a limit', () => {
  const attribution = new Attribution()
  for (let line = 0; line < 5000; line++) attribution.take(text)
  expect(meanings(attribution, result)).toEqual(['unsolicited 1001'])
})

test('an echo without a time, before any turn, says that the message was known; what comes then is nobody’s', () => {
  const attribution = expecting('u1', { alone: true })
  const { timestamp: _, ...known } = echo('u1')
  expect(meanings(attribution, known as Line, init, result)).toEqual(['known', 'held', 'unsolicited 2'])
})

test('an echo without a time in a turn that has begun, as of a command, is one of its lines', () => {
  const attribution = expecting('u1', { alone: true })
  const { timestamp: _, ...timeless } = echo('u1')
  expect(meanings(attribution, init, timeless as Line, result)).toEqual(['ours 1', 'ours 1', 'result 1'])
})

test('the echo of a command of Claude Code has no time either, and its result follows', () => {
  const attribution = new Attribution()
  attribution.expect('u1', true, true)
  const { timestamp: _, ...echoed } = echo('u1')
  expect(meanings(attribution, echoed as Line, result)).toEqual(['ours 1', 'result 1'])
})
