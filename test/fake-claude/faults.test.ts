import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { fakeClaude, type Script } from '../support/fake-claude.ts'
import { effects } from '../support/oracle.ts'
import { fakeHost } from './fake-host.ts'
import { transcriptText } from './transcript-files.ts'

type Steps = NonNullable<Script['rules']>[number]['steps']

/** What one turn of these steps looks like from outside. */
async function play(...steps: Steps) {
  using fake = fakeClaude({ script: { rules: [{ when: 'go', steps }] } })
  await using host = fakeHost(fake)
  host.message('go')
  await host.until((line) => line['state'] === 'completed' || line['state'] === 'cancelled')
  // Its stderr is its own pipe, and whole only at the end.
  await host.end()
  return { lines: host.lines, results: host.results, raw: host.raw, stderr: host.stderr }
}

test('garbage, a long line and a flood stand between the lines of a turn', async () => {
  const { raw, lines, results, stderr } = await play(
    { rawStdout: 'Update available!\n' },
    { rawStdout: { base64: Buffer.from([0xff, 0xfe, 0x0a]).toString('base64') } },
    { hugeLine: 2_000_000 },
    { flood: { lines: 300, bytes: 5_000 } },
    { flood: { lines: 10, bytes: 100, to: 'stderr' } },
    { stderr: 'a warning\n' },
    { text: 'fine' },
  )
  expect(raw).toEqual(['Update available!', '\ufffd\ufffd'])
  const sizes = lines.filter((line) => line.subtype === 'filler').map((line) => JSON.stringify(line).length)
  expect(sizes).toEqual([2_000_000, ...Array.from({ length: 300 }, () => 5_000)])
  expect(stderr).toContain('a warning\n')
  expect(stderr.length).toBe(10 * 101 + 'a warning\n'.length)
  expect(results).toMatchObject([{ result: 'fine' }])
})

test('an API failure is a success that is an error, after its retries and its echo', async () => {
  const { lines, results } = await play(
    { apiRetry: { status: 529, error: 'overloaded' } },
    { apiFailure: { status: 529, message: 'API Error: 529 Overloaded' } },
  )
  expect(results).toMatchObject([{ subtype: 'success', is_error: true, api_error_status: 529 }])
  const order = lines.map((line) => (line.isReplay === true ? 'echo' : (line.subtype ?? line.type)))
  expect(order.slice(order.indexOf('api_retry'))).toEqual([
    'api_retry',
    'echo',
    'assistant',
    'success',
    'command_lifecycle',
    'session_state_changed',
  ])
})

test('a result can come twice, with other fields, or from another session', async () => {
  const twice = await play({ text: 'a' }, { duplicateResult: true })
  expect(twice.results.map((line) => line['result'])).toEqual(['a', 'a'])
  const other = await play({ text: 'a' }, { result: { subtype: 'error_max_turns', is_error: true } })
  expect(other.results).toMatchObject([{ subtype: 'error_max_turns', is_error: true }])

  const wrongSessionId = randomUUID()
  using fake = fakeClaude({ script: { rules: [{ wrongSessionId, steps: [] }] } })
  await using host = fakeHost(fake)
  expect((await host.turn('hello'))['session_id']).toBe(wrongSessionId)
})

test('a turn without a result stands whole in the transcript', async () => {
  using fake = fakeClaude({
    script: { flushDelayMs: 0, rules: [{ when: 'mute', steps: [{ text: 'said' }, { noResult: true }] }] },
  })
  await using host = fakeHost(fake)
  host.message('mute')
  const written = () => transcriptText(host.home, host.sessionId).includes('"stop_reason":"end_turn"')
  await eventually(written, 'the end is in the transcript')
  await host.turn('next')
  expect(host.results.map((line) => line['result'])).toEqual(['echo: next'])
})

test('killed at the instant of an effect it leaves the effect and no word in the transcript', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      // Not before it dies, however slow this machine is.
      flushDelayMs: 60_000,
      rules: [
        {
          steps: [
            {
              tool: {
                name: 'Read',
                during: [{ delayMs: 20 }, { appendFile: { path: file('effect'), line: 'x' } }, { kill: 'SIGKILL' }],
              },
            },
          ],
        },
      ],
    }),
  })
  await using host = fakeHost(fake)
  const uuid = host.message('go')
  expect(await host.exited).toEqual({ code: null, signal: 'SIGKILL' })
  expect(effects(fake.oracle())).toMatchObject([{ uuid, line: 'x' }])
  expect(transcriptText(host.home, host.sessionId)).not.toContain(uuid)
})

test('SIGTERM in the middle of a turn ends it with 143, the message written', async () => {
  using fake = fakeClaude({
    script: (file) => ({ rules: [{ steps: [{ partial: 'a' }, { waitForFile: file('no') }] }] }),
  })
  await using host = fakeHost(fake)
  const uuid = host.message('go')
  await host.until((line) => line.isReplay === true)
  host.child.kill('SIGTERM')
  expect(await host.exited).toEqual({ code: 143, signal: null })
  expect(transcriptText(host.home, host.sessionId)).toContain(uuid)
})

test('it exits by itself, with a code, before any result', async () => {
  using fake = fakeClaude({ script: { rules: [{ steps: [{ partial: 'a' }, { stderr: 'bad' }, { exit: 3 }] }] } })
  await using host = fakeHost(fake)
  host.message('go')
  expect(await host.exited).toEqual({ code: 3, signal: null })
  expect(host.stderr).toBe('bad')
  expect(host.results).toEqual([])
})

test('it stops itself and goes on when told to', async () => {
  using fake = fakeClaude({ script: { rules: [{ steps: [{ stop: true }, { text: 'back' }] }] } })
  await using host = fakeHost(fake)
  host.message('go')
  await eventually(() => stateOf(host.child.pid) === 'T', 'it is stopped')
  host.child.kill('SIGCONT')
  await host.until((line) => line['result'] === 'back')
})

test('a hung one waits for ever in the kernel, its event loop stopped', async () => {
  using fake = fakeClaude({ script: { rules: [{ steps: [{ hang: true }] }] } })
  await using host = fakeHost(fake)
  await host.initialize()
  expect(waitingIn(host.child.pid)).not.toMatch(/futex/)
  host.message('go')
  await eventually(() => /futex/.test(waitingIn(host.child.pid)), 'it hangs')
})

test('one that ignores its input goes on and lets the pipe fill', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      rules: [{ steps: [{ ignoreStdin: true }, { waitForFile: file('go') }, { delayMs: 300 }, { text: 'deaf' }] }],
    }),
  })
  await using host = fakeHost(fake)
  host.message('listen')
  await host.until((line) => line.subtype === 'init')
  host.message('x'.repeat(4_000_000))
  fake.open('go')
  await host.until((line) => line['result'] === 'deaf')
  expect(host.child.stdin.writableLength).toBeGreaterThan(0)
})

test('a child in a session of its own outlives it, with its environment', async () => {
  using fake = fakeClaude({ script: { rules: [{ steps: [{ setsidChild: { seconds: 30 } }] }] } })
  await using host = fakeHost({ ...fake, env: { ...fake.env, A_MARKER: 'orphan-test' } })
  await host.turn('go')
  await host.end()
  const orphans = processesWith('A_MARKER=orphan-test')
  expect(orphans).toHaveLength(1)
  for (const pid of orphans) process.kill(pid, 'SIGKILL')
})

test('starting can fail: never ready, an error, an early end until a file is there', async () => {
  using never = fakeClaude({ script: { neverInitialize: true } })
  await using deaf = fakeHost(never)
  deaf.send({ type: 'control_request', request_id: 'i', request: { subtype: 'initialize' } })
  await deaf.ask({ subtype: 'mcp_status' })
  expect(deaf.lines.some((line) => line.response?.['request_id'] === 'i')).toBe(false)

  using failing = fakeClaude({ script: { initializeError: 'not today' } })
  await using refusing = fakeHost(failing)
  expect(await refusing.initialize()).toMatchObject({ subtype: 'error', error: 'not today' })

  using crashing = fakeClaude({
    script: (file) => ({ exitAtStart: { code: 7, stderr: 'no licence', unlessFile: file('licence') } }),
  })
  await using dead = fakeHost(crashing)
  expect(await dead.exited).toEqual({ code: 7, signal: null })
  expect(dead.stderr).toBe('no licence')
  crashing.open('licence')
  await using alive = fakeHost(crashing)
  expect(await alive.initialize()).toMatchObject({ subtype: 'success' })
})

test('one that lingers lives on, idle, after the end of its input and SIGTERM', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      ignoreInputEnd: true,
      ignoreTerm: true,
      rules: [{ when: 'hello', steps: [{ backgroundTask: { id: 'b', endsAfterFile: file('end'), prompt: 'alive' } }] }],
    }),
  })
  await using host = fakeHost(fake)
  await host.turn('hello')
  host.child.stdin.end()
  host.child.kill('SIGTERM')
  fake.open('end')
  await host.until(() => host.results.length === 2)
  expect(host.results[1]).toMatchObject({ result: 'echo: alive' })
})

test('a rule with a file counts once over all processes', async () => {
  using fake = fakeClaude({
    script: (file) => ({ rules: [{ onceFile: file('used'), steps: [{ text: 'the first time' }] }] }),
  })
  await using host = fakeHost(fake)
  expect((await host.turn('a'))['result']).toBe('the first time')
  await using other = fakeHost(fake)
  expect((await other.turn('b'))['result']).toBe('echo: b')
})

test('a script that is none is refused before anything starts', () => {
  expect(() => fakeClaude({ script: { rules: [{ steps: [{ txet: 'a' } as unknown as { text: string }] }] } })).toThrow(
    'not a script',
  )
})

/** The kernel's letter for what a process does: R, S, T for stopped. */
function stateOf(pid: number | undefined): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
}

/** The kernel function the main thread sleeps in. */
function waitingIn(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/wchan`, 'utf8')
}

function processesWith(variable: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => environmentOf(pid).includes(variable)).map(Number)
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}
