import { describe, expect, test } from 'vitest'
import type { PublishedEvent } from '../../src/base/protocol/event.ts'
import { transcriptText } from '../fake-claude/transcript-files.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import type { Script } from '../support/fake-claude.ts'
import { Stage } from '../support/stage.ts'

const healthCheckInterval = 30_000
const roundMs = healthCheckInterval / 2
const patienceMs = 10_000
const fromTeam = 'frontend'

async function start(script?: Script | ((file: (name: string) => string) => Script)): Promise<Stage> {
  return Stage.start({ settings: { healthCheckInterval }, ...(script && { script }) })
}

async function pidOf({ iris }: Stage, thread = 'main'): Promise<number> {
  return (await iris.event('process-spawned', (event) => event.thread === thread)).pid
}

/** The next round asks so many processes, whose answers are on their way. */
async function nextRound({ clock }: Stage, asked: number): Promise<void> {
  const before = clock.everSet(patienceMs)
  await clock.jump(roundMs)
  expect(clock.everSet(patienceMs) - before).toBe(asked)
}

/** Those who live have said so. */
function answered({ clock }: Stage, silent: number): Promise<boolean> {
  return eventually(() => clock.pending(patienceMs) === silent, 'the living ones answer')
}

function ends({ iris }: Stage): string[] {
  const found: string[] = []
  const note = (event: PublishedEvent): void => {
    if (event.type === 'process-terminated') found.push(`${event.thread}: ${event.why}`)
  }
  iris.events$.subscribe(note).unsubscribe()
  return found
}

const hung = 'it hung: no answer within 10000 ms'

describe('an idle process', () => {
  test('that was stopped is found within healthCheckInterval, ended and counted; the next message resumes', async () => {
    await using stage = await start({ flushDelayMs: 0 })
    const { iris, clock } = stage
    const first = await ask(iris, 'backend', 'hello', { fromTeam })
    await eventually(
      () => transcriptText(iris.world.root, first.sessionId).includes('end_turn'),
      'the answer is on disk',
    )
    process.kill(await pidOf(stage), 'SIGSTOP')
    await nextRound(stage, 1)
    await clock.jump(patienceMs)
    expect(await iris.event('process-terminated')).toMatchObject({ why: hung })
    // It may have ended in the very tick of a report; then the next one counts it.
    await clock.jump(2 * healthCheckInterval)
    const counted = await iris.event('health-check', ({ status }) => status.ended > 0)
    expect(counted.status).toEqual({ activeProcesses: 0, maxProcesses: 10, ended: 1 })
    const next = await ask(iris, 'backend', 'and now', { fromTeam })
    expect(next).toMatchObject({ status: 'completed', sessionId: first.sessionId })
    expect(stage.starts()).toEqual(['start', 'resume'])
  })

  test.each([
    ['says nothing any more because its stdout is closed', { closeStdout: true }],
    ['reads nothing any more', { ignoreStdin: true }],
    ['hangs', { hang: true }],
  ] as const)('that %s is found and ended', async (_, act) => {
    await using stage = await start({ atRest: [act] })
    await ask(stage.iris, 'backend', 'hello', { fromTeam })
    await nextRound(stage, 1)
    await stage.clock.jump(patienceMs)
    expect(await stage.iris.event('process-terminated')).toMatchObject({ why: hung })
  })

  test('that died and whose pipes are held open by what it left is freed', async () => {
    await using stage = await start({ rules: [{ steps: [{ setsidChild: { seconds: 600 } }, { text: 'left' }] }] })
    await ask(stage.iris, 'backend', 'hello', { fromTeam })
    process.kill(await pidOf(stage), 'SIGKILL')
    expect(await stage.iris.event('process-terminated')).toMatchObject({ why: 'it exited' })
  })

  test('that lives is asked and left alone, round after round', async () => {
    await using stage = await start()
    const { iris } = stage
    await callTool(iris, 'team_wake', { team: 'backend', fromTeam })
    for (let round = 0; round < 4; round++) {
      await nextRound(stage, 1)
      await answered(stage, 0)
    }
    expect(ends(stage)).toEqual([])
    expect((await iris.event('health-check')).status).toEqual({ activeProcesses: 1, maxProcesses: 10, ended: 0 })
  })

  test('that hangs does not take others with it', async () => {
    await using stage = await start()
    const { iris } = stage
    await callTool(iris, 'team_wake', { team: 'backend', fromTeam })
    await callTool(iris, 'team_wake', { team: 'backend', fromTeam, thread: 'other' })
    process.kill(await pidOf(stage), 'SIGSTOP')
    await nextRound(stage, 2)
    await answered(stage, 1)
    await stage.clock.jump(patienceMs)
    await iris.event('process-terminated')
    expect(ends(stage)).toEqual([`main: ${hung}`])
  })
})

test('a busy process and one with a task in its background are not asked, however silent', async () => {
  const script = (file: (name: string) => string): Script => ({
    rules: [
      { when: 'work', steps: [{ partial: 'On it' }, { waitForFile: file('work') }, { text: '.' }] },
      { when: 'background', steps: [{ backgroundTask: { id: 'b1', endsAfterFile: file('task') } }, { text: 'yes' }] },
    ],
  })
  await using stage = await start(script)
  const { iris, fake } = stage
  const working = ask(iris, 'backend', 'work', { fromTeam })
  await stage.said('On it')
  await ask(iris, 'mobile', 'background', { fromTeam })
  for (let round = 0; round < 3; round++) await nextRound(stage, 0)
  expect(ends(stage)).toEqual([])
  fake.open('work')
  fake.open('task')
  expect(await working).toMatchObject({ status: 'completed', response: 'On it.' })
})

test('a process that is given a message while it is asked is left to that message', async () => {
  await using stage = await start()
  const { iris, clock } = stage
  await callTool(iris, 'team_wake', { team: 'backend', fromTeam })
  const pid = await pidOf(stage)
  process.kill(pid, 'SIGSTOP')
  await nextRound(stage, 1)
  const asked = ask(iris, 'backend', 'hello', { fromTeam })
  await iris.event('turn-accepted')
  await clock.jump(patienceMs)
  process.kill(pid, 'SIGCONT')
  expect(await asked).toMatchObject({ status: 'completed' })
  expect(ends(stage)).toEqual([])
})
