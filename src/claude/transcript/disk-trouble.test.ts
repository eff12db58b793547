import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { init, messagesSoFar, newFiles, said, session, success } from '../../../test/support/transcripts.ts'

test('a link in the place of a file is not followed', async () => {
  const { files, directory, at, troubles } = await newFiles()
  mkdirSync(at('.'), { recursive: true })
  writeFileSync(join(directory, 'elsewhere'), 'precious')
  symlinkSync(join(directory, 'elsewhere'), at('conversation.json'))
  files.begin(session, { prompt: 'x', resumed: true }).line(init)
  await files.close()
  expect(readFileSync(join(directory, 'elsewhere'), 'utf8')).toBe('precious')
  expect(troubles).toMatchObject([{ kind: 'unwritable', path: at('conversation.json'), error: { code: 'ELOOP' } }])
})

test('a disk that refuses is told of once a file, and gets everything when it takes it again', async () => {
  const { files, directory, clock, troubles, at, log, conversation } = await newFiles()
  // A file where the directory should be refuses root too.
  writeFileSync(directory, '')
  const turn = files.begin(session, { prompt: 'x', resumed: false })
  turn.line(said('one'))
  await clock.advance(500)
  await eventually(() => troubles.length === 2, 'both files are told of')
  for (let retry = 0; retry < 3; retry++) {
    turn.line(said('more'))
    await eventually(() => clock.pending === 2, 'another try is due')
    await clock.advance(5000)
  }
  await eventually(() => clock.pending === 2, 'another try is due')
  expect(troubles).toMatchObject([
    { kind: 'unwritable', error: { code: 'ENOTDIR' } },
    { kind: 'unwritable', error: { code: 'ENOTDIR' } },
  ])
  expect(troubles.map(({ path }) => path).toSorted()).toEqual([at('conversation.json'), at('stream.log')])
  rmSync(directory)
  await files.close()
  expect(conversation().messages).toHaveLength(4)
  expect(log().match(/ASSISTANT:/g)).toHaveLength(4)
})

test('closing ends although the disk refuses, leaves no timer, and what comes later is ignored', async () => {
  const { files, directory, clock, troubles } = await newFiles()
  writeFileSync(directory, '')
  const turn = files.begin(session, { prompt: 'x', resumed: false })
  turn.line(init)
  await files.close()
  turn.line(init)
  turn.end(success)
  expect(clock.pending).toBe(0)
  expect(troubles).toHaveLength(2)
})

test('after closing no other session is begun either', async () => {
  const { files, clock } = await newFiles()
  await files.close()
  files.begin(session, { prompt: 'x', resumed: false }).line(init)
  expect(clock.pending).toBe(0)
})

test('where one file is refused the other is written, and it stays one writer a file', async () => {
  const { files, clock, troubles, at } = await newFiles()
  mkdirSync(at('stream.log'), { recursive: true })
  for (const number of [1, 2, 3]) {
    files.begin(session, { prompt: 'x', resumed: true }).line({ type: 'system', number })
    // The file is seen before its write has ended; only then is the timer of the next write set.
    await eventually(async () => {
      await clock.advance(5000)
      return messagesSoFar(at('conversation.json')) === number
    }, 'the line is there')
    await eventually(() => clock.pending === 1, 'another try is due')
  }
  expect(troubles).toMatchObject([{ kind: 'unwritable', path: at('stream.log'), error: { code: 'EISDIR' } }])
  await files.close()
})

test('what is more than may wait is left out, partial lines first, and conversation.json says where', async () => {
  const { files, troubles, at, conversation } = await newFiles({ maxWaitingBytes: 20_000 })
  const turn = files.begin(session, { prompt: 'x', resumed: false })
  for (let number = 0; number < 10; number++) turn.line({ type: 'stream_event', number, text: 'x'.repeat(2000) })
  turn.line({ type: 'system', number: 10 })
  await files.close()
  const { messages } = conversation()
  const kept = messages.length - 2
  expect(kept).toBeGreaterThan(2)
  expect(messages.slice(-2)).toEqual([
    { type: 'iris_lost_lines', lines: 10 - kept },
    { type: 'system', number: 10 },
  ])
  expect(troubles).toEqual([{ kind: 'behind', path: at('conversation.json') }])
})
