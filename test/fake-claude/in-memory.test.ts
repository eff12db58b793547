import { expect, test } from 'vitest'
import { parseCommandLine } from './command-line.ts'
import { FakeClaude } from './fake-claude.ts'
import { openSession } from './open-session.ts'
import type { OracleEvent } from './oracle-event.ts'
import type { Script } from './script.ts'
import type { World } from './world.ts'

/** A world of nothing but variables: time stands still until it is moved. */
function memoryWorld() {
  const timers: { at: number; run: () => void }[] = []
  const files = new Map<string, string>()
  const state = { now: 0, ids: 0, output: '', transcript: undefined as string | undefined, exit: undefined as unknown }
  const events: OracleEvent[] = []
  const world: World = {
    clock: {
      get machine() {
        return this
      },
      now: () => state.now,
      elapsed: () => state.now,
      after(ms, run) {
        const timer = { at: state.now + ms, run }
        timers.push(timer)
        return () => void timers.splice(timers.indexOf(timer), 1)
      },
    },
    pid: 1,
    cwd: '/project',
    newId: () => `id-${++state.ids}`,
    stdout: (bytes) => {
      state.output += String(bytes)
    },
    stderr: () => {},
    transcript: {
      path: '/transcript',
      read: () => state.transcript,
      append: (text) => {
        state.transcript = (state.transcript ?? '') + text
      },
    },
    agents: () => [],
    files: {
      exists: (path) => files.has(path),
      append: (path, text) => files.set(path, (files.get(path) ?? '') + text),
      claim: (path) => !files.has(path) && files.set(path, '').size > 0,
    },
    self: {
      exit: (code) => {
        state.exit = code
      },
      kill: () => {},
      hang: () => {},
      closeStdout: () => {},
      ignoreStdin: () => {},
      startOrphan: async () => {},
    },
    record: (event) => void events.push(event),
  }
  /** Moves time on, as far as anything is due, and lets promises settle in between. */
  const pass = async (ms: number): Promise<void> => {
    const end = state.now + ms
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      timers.splice(timers.indexOf(next), 1)
      state.now = next.at
      next.run()
    }
    state.now = end
  }
  return { world, state, events, pass }
}

test('the fake lives in memory too: ten minutes in a tool pass at once, and the transcript comes late', async () => {
  const script: Script = {
    rules: [{ steps: [{ tool: { name: 'Read', during: [{ delayMs: 600_000 }] } }, { text: 'x' }] }],
  }
  const { world, state, events, pass } = memoryWorld()
  const commandLine = parseCommandLine(['--session-id', 's', '--replay-user-messages'])
  const session = openSession({ world, commandLine, script, bare: false })
  if (session === undefined) throw new Error('no session')
  const fake = new FakeClaude(session)
  fake.receive(JSON.stringify({ type: 'user', uuid: 'u', message: { content: 'build' } }))
  await pass(99)
  expect(state.transcript).toBeUndefined()
  await pass(1)
  expect(state.transcript).toContain('"uuid":"u"')
  expect(state.output).not.toContain('"type":"result"')
  await pass(600_000)
  expect(state.output).toContain('"type":"result"')
  fake.endInput()
  expect(state.exit).toBe(0)
  expect(events.map(({ event }) => event)).toEqual(['start', 'message', 'tool', 'answer', 'exit'])
})
