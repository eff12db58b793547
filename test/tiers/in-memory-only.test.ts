import { execFileSync, spawn } from 'node:child_process'
import { createServer, get } from 'node:http'
import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { refusals } from './in-memory-only.ts'
import { Refusals } from './refusals.ts'

test.each([
  ['spawn', () => spawn('true'), 'start a process: spawn true'],
  ['execFileSync', () => execFileSync('true'), 'start a process: execFileSync true'],
  ['a server', () => createServer().listen(0), 'listen'],
  ['a connection', () => createConnection(1), 'connect'],
  ['a request', () => get('http://127.0.0.1:1/'), 'connect'],
])('the fast tier refuses %s, and a refusal that is caught is not forgotten', (_what, act, refused) => {
  expect(act).toThrow(`A test of the fast tier must not ${refused}.`)
  expect(refusals.take()).toEqual([refused])
})

test('a test that catches its refusal fails', async () => {
  const own = new Refusals(() => {})
  const caught = own.during('first', async () => {
    await expect(async () => own.refuse('listen')).rejects.toThrow('must not listen')
  })
  await expect(caught).rejects.toThrow('A test of the fast tier must not listen.')
})

test('a refusal after the end of a test is reported as its own, and leaves the test that runs by then alone', async () => {
  const late: string[] = []
  const own = new Refusals(({ message }) => late.push(message))
  const go = Promise.withResolvers<void>()
  let tried: Promise<void> | undefined
  await own.during('first', async () => {
    tried = go.promise.then(() => own.refuse('listen'))
  })
  await own.during('second', async () => {
    go.resolve()
    await expect(tried).rejects.toThrow('must not listen')
  })
  expect(late).toEqual(['After its end the test "first" tried to listen.'])
})
