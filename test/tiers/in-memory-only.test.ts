import { execFileSync, spawn } from 'node:child_process'
import { createServer, get } from 'node:http'
import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { takeRefused } from './in-memory-only.ts'

test.each([
  ['spawn', () => spawn('true'), 'start a process: spawn true'],
  ['execFileSync', () => execFileSync('true'), 'start a process: execFileSync true'],
  ['a server', () => createServer().listen(0), 'listen'],
  ['a connection', () => createConnection(1), 'connect'],
  ['a request', () => get('http://127.0.0.1:1/'), 'connect'],
])('the fast tier refuses %s, and a refusal that is caught is not forgotten', (_what, act, refused) => {
  expect(act).toThrow(`A test of the fast tier must not ${refused}.`)
  expect(takeRefused()).toEqual([refused])
})
