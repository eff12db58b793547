import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { consoleMeta } from '../../src/base/protocol/daemon.ts'
import { ask, callTool, type Endpoint } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude } from '../support/fake-claude.ts'
import { createWorld, type World } from '../support/world.ts'

let fake: FakeClaudeSetup
let world: World
let daemon: DaemonProcess
let openGate: () => void

beforeAll(async () => {
  fake = fakeClaude({
    script: (file) => {
      openGate = () => writeFileSync(file('gate'), '')
      return { rules: [{ when: 'slow', steps: [{ waitForFile: file('gate') }, { text: 'at last' }] }] }
    },
  })
  const settings = { claudePath: fake.claudePath, env: { ...fake.env } }
  world = await createWorld({ teams: { backend: {}, mobile: { live: 'yes' } }, settings })
  daemon = await DaemonProcess.start(world)
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  fake[Symbol.dispose]()
})

async function killAndStart(): Promise<void> {
  await daemon.kill()
  daemon = await DaemonProcess.start(world)
}

const owner = (): Endpoint => ({ port: daemon.port, token: daemon.owner })

/** A session of Claude Code that a person has open in the project of mobile. */
function session(name: string) {
  const call = () => ({ directory: world.directory('mobile'), meta: { [consoleMeta]: name } })
  const take = async () => (await callTool(daemon, 'late_answers', { take: true }, call()))['pushes']
  return {
    open: () => callTool(daemon, 'late_answers', {}, call()).catch(() => {}),
    take,
    date: () => callTool(daemon, 'get_date', {}, call()),
  }
}

/** Until the open session counts as one, there is nothing to put an answer into. */
async function promoted(turnId: string): Promise<void> {
  await eventually(
    async () => !('error' in (await callTool(owner(), 'promote_turn', { turnId, team: 'mobile' }))),
    'promoted',
  )
}

test('kill -9 before an open session has taken a promoted answer: the call fails, and promoting again brings it once', async () => {
  const { turnId } = await ask(daemon, 'backend', 'a finding')
  const there = session('one')
  const woken = there.open()
  const promoting = promoted(turnId)
  promoting.catch(() => {})
  await woken
  await killAndStart()
  await expect(promoting).rejects.toThrow(/terminated|fetch failed|ended without an answer/)
  expect(await there.take()).toEqual([])
  expect(await callTool(daemon, 'message_status', { turnId })).toMatchObject({ status: 'completed' })

  const again = there.open()
  const second = promoted(turnId)
  await again
  expect(await there.take()).toMatchObject([{ turnId }])
  await second
  expect(await there.take()).toEqual([])
})

test('kill -9 after it has taken it: the next call of the session says that it waits', async () => {
  const { turnId } = await ask(daemon, 'backend', 'another finding')
  const there = session('two')
  const woken = there.open()
  const promoting = promoted(turnId)
  await woken
  await there.take()
  await promoting
  await killAndStart()
  expect(await there.date()).toMatchObject({ answersWaiting: expect.stringContaining(turnId.slice(0, 8)) })
})

test('kill -9 while somebody waits for a team: the call fails, and the same call after the start waits on', async () => {
  const { turnId } = await ask(daemon, 'backend', 'slow', { timeout: -1 })
  const wait = () => callTool(daemon, 'session_wait', { team: 'backend', timeout: 60_000 })
  const waiting = wait()
  waiting.catch(() => {})
  expect(await callTool(daemon, 'session_wait', { team: 'backend', timeout: -1 })).toMatchObject({ messages: 1 })
  await killAndStart()
  await expect(waiting).rejects.toThrow(/terminated|fetch failed|ended without an answer/)
  const after = wait()
  openGate()
  expect(await after).toMatchObject({ status: 'idle', messages: 0 })
  expect(await callTool(daemon, 'message_status', { turnId })).toMatchObject({
    status: 'completed',
    response: 'at last',
  })
})
