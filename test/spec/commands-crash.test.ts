import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { EventStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { claudeBinary, contractVersions } from '../support/real-claude.ts'
import { createWorld, spoken } from '../support/world.ts'

const yes = { grantPermission: 'yes', dangerous: true }
const from = { fromTeam: 'frontend' }

test.each(contractVersions)(
  '%s: kill -9 of the daemon ends commands in the background, and the next answer says which',
  async (version) => {
    const waits = (name: string) => `touch ${name}.begun; while [ ! -e ${name} ]; do sleep 0.1; done`
    const inBackground = (name: string) => ({
      name: 'Bash',
      input: { command: waits(name), description: name, run_in_background: true },
    })
    const script: Script = ({ conversation: { lastUserText, step } }) => {
      if (lastUserText.startsWith('<task-notification>')) return { text: 'the first one has ended' }
      if (spoken(lastUserText) === 'start' && step === 0) return { toolUses: ['first', 'second'].map(inBackground) }
      return { text: 'answered' }
    }
    const settings = { claudePath: claudeBinary(version) }
    await using world = await createWorld({ script, settings, teams: { frontend: {}, backend: yes } })
    const file = (name: string) => join(world.directory('backend'), name)
    await using first = await DaemonProcess.start(world)
    const { turnId, background } = await ask(first, 'backend', 'start', from)
    expect(background).toHaveLength(2)
    await using stream = await EventStream.open(first)
    await eventually(() => existsSync(file('first.begun')) && existsSync(file('second.begun')), 'both commands run')
    writeFileSync(file('first'), '')
    await stream.next('turn-reported')
    await first.kill()
    await using second = await nextDaemon(world)
    const ended = { turnId, kind: 'ended', text: waits('second') }
    const said = { turnId, kind: 'said', text: 'the first one has ended' }
    expect(await ask(second, 'backend', 'hello', from)).toMatchObject({ response: 'answered', reports: [said, ended] })
  },
)

test('kill -9 of the daemon while the agent speaks of such an end: what it had said is reported', async () => {
  const script: Script = ({ conversation: { lastUserText, step } }) => {
    const bash = (command: string, more = {}) => ({ name: 'Bash', input: { command, ...more } })
    if (lastUserText.startsWith('<task-notification>'))
      return { text: 'Looking.', toolUses: [bash('touch looking; sleep 30')] }
    if (spoken(lastUserText) === 'start' && step === 0)
      return { toolUses: [bash('while [ ! -e ended ]; do sleep 0.1; done', { run_in_background: true })] }
    return { text: 'answered' }
  }
  const settings = { claudePath: claudeBinary('2.1.330') }
  await using world = await createWorld({ script, settings, teams: { frontend: {}, backend: yes } })
  const file = (name: string) => join(world.directory('backend'), name)
  await using first = await DaemonProcess.start(world)
  const { turnId } = await ask(first, 'backend', 'start', from)
  writeFileSync(file('ended'), '')
  await eventually(() => existsSync(file('looking')), 'the tool of its own turn')
  await first.kill()
  await using second = await nextDaemon(world)
  const text = 'Looking.\n\n[This report is incomplete: its process ended before that.]'
  expect(await ask(second, 'backend', 'hello', from)).toMatchObject({ reports: [{ turnId, kind: 'said', text }] })
})
