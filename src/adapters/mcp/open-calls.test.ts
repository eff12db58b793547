import { expect, test } from 'vitest'
import { aProgram, theOwner } from '../../kernel/call/principal.ts'
import { OpenCalls, type Sender } from './open-calls.ts'

const cancelled = { method: 'notifications/cancelled', params: { requestId: 7 } }

const owner: Sender['auth'] = { principal: theOwner, team: undefined, parent: undefined }
const program: Sender['auth'] = { ...owner, principal: aProgram }
const from = (auth: Sender['auth'], session?: string): Sender => ({
  auth,
  headers: new Headers(session === undefined ? {} : { 'mcp-session-id': session }),
})

test('a call is withdrawn by its own client alone: credential and session id', () => {
  const calls = new OpenCalls(() => 'new')
  const call = new AbortController()
  calls.add(from(owner, 'a'), 7, call)
  for (const other of [from(owner, 'b'), from(owner), from(program, 'a'), from(owner, 'x'.repeat(65))])
    calls.withdrawIfCancelled(other, cancelled)
  calls.withdrawIfCancelled(from(owner, 'a'), { ...cancelled, params: { requestId: '7' } })
  for (const message of [{ ...cancelled, method: 'notifications/progress' }, { ...cancelled, params: 7 }, 'cancelled'])
    calls.withdrawIfCancelled(from(owner, 'a'), message)
  expect(call.signal.aborted).toBe(false)
  calls.withdrawIfCancelled(from(owner, 'a'), cancelled)
  expect(call.signal.aborted).toBe(true)
})

test('calls of a session endpoint are those of one client, and an ended call is forgotten', () => {
  const calls = new OpenCalls(() => 'new')
  const at = from({ ...owner, endpoint: {} } as unknown as Sender['auth'])
  const [ended, open] = [new AbortController(), new AbortController()]
  calls.add(at, 7, ended)()
  // A client may use the id of a call again before that has ended.
  const former = calls.add(from(owner, 'a'), 7, ended)
  calls.add(from(owner, 'a'), 7, open)
  former()
  for (const sender of [at, from(owner, 'a')]) calls.withdrawIfCancelled(sender, cancelled)
  expect([ended, open].map(({ signal }) => signal.aborted)).toEqual([false, true])
})

test('only a client whose initialize was taken gets a session id', () => {
  const calls = new OpenCalls(() => 'new')
  const idOf = (status: number) => calls.giveSessionId(Response.json({}, { status })).headers.get('mcp-session-id')
  expect([200, 400].map(idOf)).toEqual(['new', null])
})
