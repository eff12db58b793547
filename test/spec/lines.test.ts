import { execFileSync } from 'node:child_process'
import { createReadStream, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isRecord } from '../../src/base/lib/is-record.ts'
import { wholeMeta } from '../../src/base/protocol/daemon.ts'
import { mainThread } from '../../src/base/protocol/pair.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import type { Script } from '../support/fake-claude.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const megabyte = 1_000_000
type Steps = NonNullable<Script['rules']>[number]['steps']

/** One turn of these steps: how it ended, and what of its lines is not the CLI's usual. */
async function play(...steps: Steps) {
  await using stage = await Stage.start({ script: { rules: [{ when: 'go', steps }] } })
  const whole = { meta: { [wholeMeta]: true } }
  const answer = await ask(stage.iris, 'backend', 'go', { fromTeam, raw: true }, whole)
  const next = await ask(stage.iris, 'backend', 'next', { fromTeam })
  expect(next).toMatchObject({ status: 'completed' })
  expect(stage.starts()).toEqual(['start'])
  const lines = (answer.rawMessages ?? []).filter(isRecord)
  return { answer, lines, odd: lines.filter(({ type }) => String(type).startsWith('iris_')) }
}

describe('on stdout, between the lines of a turn,', () => {
  test('what is no message is kept as it came, and the turn goes on', async () => {
    const { answer, odd } = await play(
      { rawStdout: 'Update available! Run npm i -g\n' },
      { rawStdout: '\n\r\n' },
      { rawStdout: '"just a string"\n{"no":"type"}\n[1,2]\nnull\n' },
      { rawStdout: { base64: Buffer.from([0xff, 0xfe, 0x00, 0x0a]).toString('base64') } },
      { text: 'fine' },
    )
    expect(answer).toMatchObject({ status: 'completed', response: 'fine' })
    const texts = [
      'Update available! Run npm i -g',
      '"just a string"',
      '{"no":"type"}',
      '[1,2]',
      'null',
      '\ufffd\ufffd\0',
    ]
    expect(odd).toEqual(texts.map((text) => ({ type: 'iris_raw', text })))
  })

  test('types and fields that nobody knows pass through unharmed', async () => {
    const line = '{"type":"from_the_future","__proto__":{"polluted":true},"text":"a\u2028b \\ud800 c","n":1e400}'
    const { answer, lines } = await play({ rawStdout: `${line}\r\n` }, { text: 'fine' })
    expect(answer).toMatchObject({ status: 'completed', response: 'fine' })
    const found = lines.find(({ type }) => type === 'from_the_future')
    expect(found?.['text']).toBe('a\u2028b \ud800 c')
    expect(Object.getOwnPropertyDescriptor(found, '__proto__')?.value).toEqual({ polluted: true })
    expect({}).not.toHaveProperty('polluted')
  })

  test('a line of ten thousand brackets is kept as text and harms nobody', async () => {
    const bomb = `{"type":"bomb","a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
    const { answer, odd } = await play({ rawStdout: `${bomb}\n` }, { text: 'fine' })
    expect(answer).toMatchObject({ status: 'completed', response: 'fine' })
    expect(odd).toEqual([{ type: 'iris_raw', text: bomb }])
  })

  test('a line of 10 MB is a line; one of 100 MB is dropped, and its place is marked', async () => {
    const { answer, lines, odd } = await play(
      { hugeLine: 10 * megabyte },
      { hugeLine: 100 * megabyte },
      { text: 'fine' },
    )
    expect(answer).toMatchObject({ status: 'completed', response: 'fine' })
    expect(lines.filter(({ subtype }) => subtype === 'filler').map((line) => JSON.stringify(line).length)).toEqual([
      10 * megabyte,
    ])
    expect(odd).toEqual([{ type: 'iris_dropped_line', bytes: 100 * megabyte }])
  })

  test('a flood is read to its end', async () => {
    const { answer, lines } = await play({ flood: { lines: 4000, bytes: 5000 } }, { text: 'fine' })
    expect(answer).toMatchObject({ status: 'completed', response: 'fine' })
    expect(lines.filter(({ subtype }) => subtype === 'filler')).toHaveLength(4000)
    expect(lines.at(-1)).toMatchObject({ type: 'result' })
  })
})

test("half a line at the end of a process is kept as a fragment, and is nobody's answer", {
  tags: ['thorough'],
}, async () => {
  const half = '{"type":"result","subtype":"success","is_error":false,"result":"wrong"'
  const script = (file: (name: string) => string): Script => ({
    rules: [
      { when: 'go', onceFile: file('once'), steps: [{ partial: 'Half ' }, { rawStdout: half }, { kill: 'SIGKILL' }] },
      { steps: [{ text: 'right' }] },
    ],
  })
  await using stage = await Stage.start({ script })
  const answer = await ask(stage.iris, 'backend', 'go', { fromTeam, raw: true })
  expect(answer).toMatchObject({ status: 'completed', response: 'right' })
  expect(answer.rawMessages).toContainEqual({ type: 'iris_fragment', text: half })
})

test('of a flood on stderr only the end is kept, and it holds nobody up', { tags: ['thorough'] }, async () => {
  const rules: Script['rules'] = [
    {
      when: 'go',
      steps: [{ flood: { lines: 13_000, bytes: 5000, to: 'stderr' } }, { stderr: 'the end' }, { text: 'fine' }],
    },
  ]
  await using stage = await Stage.start({ script: { rules } })
  expect(await ask(stage.iris, 'backend', 'go', { fromTeam })).toMatchObject({ response: 'fine' })
  const { pool, sessionRegistry: sessions } = stage.iris.daemon.parts
  const stderr = pool.process(sessions.open({ from: fromTeam, to: 'backend', thread: mainThread }))?.stderr
  expect(stderr).toHaveLength(64 * 1024)
  expect(stderr).toMatch(/the end$/)
})

test('while the disk does not take more, no more is read of a process, and it waits', async () => {
  const script = (file: (name: string) => string): Script => ({
    rules: [
      {
        steps: [
          { partial: 'Now: ' },
          { waitForFile: file('gate') },
          { flood: { lines: 4000, bytes: 5000 } },
          { touchFile: file('through') },
          { text: 'fine' },
        ],
      },
    ],
  })
  await using stage = await Stage.start({ script })
  const { iris, fake } = stage
  const asked = ask(iris, 'backend', 'go', { fromTeam })
  const turnId = await stage.said('Now: ')
  // A disk that takes nothing until someone reads.
  const disk = join(iris.world.home, 'data/turns', `${turnId}.ndjson`)
  mkdirSync(dirname(disk), { recursive: true })
  execFileSync('mkfifo', [disk])
  fake.open('gate')
  let looks = 0
  const flood = () => (fake.exists('through') ? 'through' : looks++ > 25 && 'held')
  expect(await eventually(flood, 'half a second has passed')).toBe('held')
  createReadStream(disk).resume()
  expect(await asked).toMatchObject({ status: 'completed', response: 'Now: fine' })
})
