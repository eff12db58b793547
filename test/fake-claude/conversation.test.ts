import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { deliveredUuids } from '../support/oracle.ts'
import type { Line } from './cli-driver.ts'
import { fakeHost } from './fake-host.ts'
import { transcriptPath, transcriptText } from './transcript-files.ts'

test('the lines of a turn stand in the order of the real one', async () => {
  using fake = fakeClaude()
  await using host = fakeHost(fake)
  await host.turn('first')
  const first = 1 + host.lines.indexOf(await host.until((line) => line['state'] === 'completed'))
  const uuid = host.message('hello\nworld')
  await host.until((line) => line['command_uuid'] === uuid && line['state'] === 'completed')
  // Between the turns it says whether it is at rest.
  const lines = host.lines.slice(first).filter(({ subtype }) => subtype !== 'session_state_changed')
  expect(lines.map((line) => line.subtype ?? line['state'] ?? line.type)).toEqual([
    'queued',
    'started',
    'init',
    'status',
    'user',
    'stream_event',
    'stream_event',
    'stream_event',
    'assistant',
    'stream_event',
    'stream_event',
    'stream_event',
    'success',
    'completed',
  ])
  expect(host.results[1]).toMatchObject({ result: 'echo: world', is_error: false, user_message_uuid: uuid })
  expect(lines.find((line) => line.isReplay === true)?.uuid).toBe(uuid)
  expect(await host.end()).toBe(0)
})

test('nothing is printed before the first line of input', async () => {
  using fake = fakeClaude()
  await using host = fakeHost(fake)
  await eventually(() => fake.oracle().length === 1, 'it has started')
  expect(host.lines).toEqual([])
  await host.initialize()
  expect(host.lines[0]).toMatchObject({ type: 'control_request', request: { subtype: 'mcp_message' } })
})

test('a resumed conversation knows what was said, and what it cost', async () => {
  using fake = fakeClaude({ script: { rules: [{ when: 'recall', steps: [{ text: '{{turnNumber}}: {{history}}' }] }] } })
  const id = randomUUID()
  await using host = fakeHost(fake, ['--session-id', id])
  const first = await host.turn('the word is pear')
  await host.end()
  await using again = fakeHost(fake, ['--resume', id])
  const second = await again.turn('recall')
  expect(second['result']).toBe('2: the word is pear => echo: the word is pear')
  expect(second['session_id']).toBe(id)
  expect(Number(second['total_cost_usd'])).toBeGreaterThan(Number(first['total_cost_usd']))
  expect((second['usage'] as Line)['cache_read_input_tokens']).toBeGreaterThan(0)
})

test('a message that the session knows is echoed and not run, in the process and after a resume', async () => {
  using fake = fakeClaude()
  const id = randomUUID()
  await using host = fakeHost(fake, ['--session-id', id])
  const uuid = host.message('once')
  await host.until((line) => line.type === 'result')
  host.message('once', uuid)
  await host.turn('other')
  await host.end()
  await using again = fakeHost(fake, ['--resume', id])
  again.message('once', uuid)
  await again.turn('third')
  expect(again.results).toHaveLength(1)
  expect([...host.lines, ...again.lines].filter((line) => line.isReplay && line.uuid === uuid)).toHaveLength(3)
  expect(deliveredUuids(fake.oracle()).filter((delivered) => delivered === uuid)).toHaveLength(1)
})

test('a message that was never answered is run when it comes again after a resume', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      flushDelayMs: 0,
      rules: [{ when: 'think', onceFile: file('thought'), steps: [{ waitForFile: file('never') }] }],
    }),
  })
  const id = randomUUID()
  await using host = fakeHost(fake, ['--session-id', id])
  const uuid = host.message('think')
  await eventually(() => transcriptText(host.home, id).includes(uuid), 'the message is in the transcript')
  host.child.kill('SIGKILL')
  await host.exited
  await using again = fakeHost(fake, ['--resume', id])
  expect((await again.turn('think', uuid))['result']).toBe('echo: think')
})

test('after /compact a new process runs an old message again, the same process does not', async () => {
  using fake = fakeClaude()
  const id = randomUUID()
  await using host = fakeHost(fake, ['--session-id', id])
  const uuid = host.message('before')
  await host.until((line) => line.type === 'result')
  expect(await host.turn('/compact')).toMatchObject({ result: '', is_error: false, num_turns: 0 })
  expect(host.lines.some((line) => line.subtype === 'compact_boundary')).toBe(true)
  host.message('before', uuid)
  await host.turn('meanwhile')
  await host.end()
  await using again = fakeHost(fake, ['--resume', id])
  await again.turn('before', uuid)
  expect(deliveredUuids(fake.oracle()).filter((delivered) => delivered === uuid)).toHaveLength(2)
})

test('a second message is folded into a turn whose tool runs, and waits for one that only talks', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      rules: [
        { when: 'use', steps: [{ tool: { name: 'Read', during: [{ waitForFile: file('tool') }] } }, { text: 'used' }] },
        { when: 'talk', steps: [{ partial: 'well' }, { waitForFile: file('talk') }, { text: ' said' }] },
      ],
    }),
  })
  await using host = fakeHost(fake)
  host.message('use')
  await host.until((line) => line.type === 'assistant')
  const folded = host.message('by the way')
  await host.until((line) => line['command_uuid'] === folded)
  fake.open('tool')
  await host.until((line) => line.type === 'result')
  expect(host.results.map((line) => line['result'])).toEqual(['used'])
  expect(host.lines.filter((line) => line.isReplay)).toHaveLength(2)
  host.message('talk')
  await host.until(() => host.lines.filter((line) => line.isReplay).length === 3)
  host.message('later')
  fake.open('talk')
  await host.until(() => host.results.length === 3)
  expect(host.results.map((line) => line['result'])).toEqual(['used', 'well said', 'echo: later'])
})

test('an id that is taken is refused, an unknown, empty or binary one too, a cut line is not', async () => {
  using fake = fakeClaude()
  const id = randomUUID()
  await using host = fakeHost(fake, ['--session-id', id])
  await host.turn('hello')
  await host.end()
  await using taken = fakeHost(fake, ['--session-id', id])
  expect(await taken.exited).toMatchObject({ code: 1 })
  expect(taken.stderr).toBe(`Error: Session ID ${id} is already in use.\n`)

  const transcript = transcriptPath(host.home, id) ?? ''
  for (const content of [undefined, '', Buffer.from([0, 1, 2, 255, 10, 9])]) {
    const other = randomUUID()
    if (content !== undefined) writeFileSync(transcript.replace(id, other), content)
    await using refused = fakeHost(fake, ['--resume', other])
    expect(await refused.exited).toMatchObject({ code: 1 })
    expect(refused.stderr).toBe(`No conversation found with session ID: ${other}\n`)
    expect(refused.lines).toMatchObject([{ type: 'result', subtype: 'error_during_execution', is_error: true }])
  }

  writeFileSync(transcript, `${readFileSync(transcript, 'utf8')}{"type":"assistant","uuid":"cut`)
  await using resumed = fakeHost(fake, ['--resume', id])
  expect((await resumed.turn('again'))['result']).toBe('echo: again')
})

test('a session that never had a message leaves no transcript', async () => {
  using fake = fakeClaude()
  const id = randomUUID()
  await using host = fakeHost(fake, ['--session-id', id])
  await host.initialize()
  expect(await host.end()).toBe(0)
  expect(transcriptPath(host.home, id)).toBeUndefined()
})

test('a line that is not JSON ends the process', async () => {
  using fake = fakeClaude()
  await using host = fakeHost(fake)
  host.child.stdin.write('\u001b\n')
  expect(await host.exited).toMatchObject({ code: 1 })
  expect(host.stderr).toContain('Error parsing streaming input line')
})

test('the version says that it is a fake', async () => {
  using fake = fakeClaude()
  await using host = fakeHost(fake, ['--version'])
  expect(await host.exited).toMatchObject({ code: 0 })
  expect(host.raw).toEqual(['9.9.9 (Claude Code fake)'])
})

test('a bare fake prints four lines a turn and keeps the transcript', async () => {
  using fake = fakeClaude({ bare: true })
  const id = randomUUID()
  await using host = fakeHost(fake, ['--session-id', id])
  await host.turn('fast')
  expect(host.lines.map((line) => line.subtype ?? line.type)).toEqual(['init', 'user', 'assistant', 'success'])
  await eventually(() => transcriptText(host.home, id).includes('echo: fast'), 'the answer is in the transcript')
})
