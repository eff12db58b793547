import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { fillDisk, pathIn, withSmallDisk } from '../support/small-disk.ts'
import { createWorld, spoken } from '../support/world.ts'

const fromTeam = 'frontend'

/** Variations are in full-disk.test.ts, with the fake claude. */
test('the real Claude Code gives its answer on a full disk; new messages are refused, and taken when there is room', async () => {
  let gate = ''
  await using world = await createWorld({
    script: ({ conversation: { lastUserText, step, userTexts } }) => {
      const wait = `until [ -e ${gate} ]; do sleep 0.05; done`
      if (lastUserText.includes('slow') && step === 0) return { toolUses: [{ name: 'Bash', input: { command: wait } }] }
      return { text: userTexts.map(spoken).length.toString() }
    },
    teams: { frontend: {}, backend: { grantPermission: 'yes', dangerous: true }, mobile: {} },
    settings: { claudePath: claudeBinary('2.1.330') },
  })
  gate = join(world.directory('backend'), 'gate')
  await using daemon = await DaemonProcess.start(world, 'none', '', withSmallDisk(world.home, 3 * 1024))
  const one = await ask(daemon, 'mobile', 'one', { fromTeam })
  const { turnId } = await callTool(daemon, 'quick_message', { toTeam: 'backend', message: 'slow', fromTeam })
  const isAtWork = async (): Promise<boolean> =>
    JSON.stringify(await callTool(daemon, 'trace_turn', { turnId })).includes('Bash')
  await eventually(isAtWork, 'the tool works')

  const makeRoom = fillDisk(pathIn(daemon.pid, world.home))
  const message = 'x'.repeat(9000)
  expect(await refusal(daemon, 'send_message', { toTeam: 'mobile', message, fromTeam })).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('Not accepted: nothing was sent.'),
  })
  writeFileSync(gate, '')
  const answer = await callTool(daemon, 'message_status', { turnId, timeout: 0 })
  expect(answer).toMatchObject({ status: 'completed', response: '1' })
  makeRoom()

  const two = await ask(daemon, 'mobile', 'two', { fromTeam })
  expect(two).toMatchObject({ status: 'completed', response: '2', sessionId: one.sessionId })
  const view = async () => (await callTool(daemon, 'team_status'))['store']
  await eventually(async () => JSON.stringify(await view()) === '{"unrecordedEnds":0}', 'every end is recorded')
  expect(await callTool(daemon, 'message_status', { turnId })).toMatchObject({ status: 'completed', response: '1' })
  expect(existsSync(gate)).toBe(true)
  expect(daemon.log).not.toMatch(/Unhandled|TypeError/)
}, 120_000)
