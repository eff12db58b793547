import { existsSync, globSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { textDelta } from '../../src/base/agent/line.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { isElsewhere } from '../support/is-elsewhere.ts'
import { claudeVersions, eitherOf } from '../support/real-claude.ts'
import { transcriptPath } from '../support/transcript-path.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const pair = { team: 'backend', fromTeam }
const never = new Promise<never>(() => {})

/** Remembers what was said in its conversation; told to hold, it stays half-way in its answer. */
const script: Script = ({ conversation }) => {
  const said = conversation.userTexts.map(spoken)
  if (said.at(-1)?.startsWith('hold')) return { stream: heldText('Half an ans', never, '') }
  return { text: said.filter((text) => !text.includes('interrupted')).join(' | ') }
}

/** The turn that is under way once half an answer has come. */
async function held(iris: TestIris): Promise<string> {
  const fits = ({ message }: { message: unknown }): boolean => textDelta(message as never).includes('Half')
  return (await iris.event('turn-message', fits)).turnId
}

const status = (iris: TestIris, turnId: string) => callTool(iris, 'message_status', { turnId, timeout: 0 })

describe.each(claudeVersions)('with Claude Code %s', (version) => {
  const start = () => TestIris.start({ script, ...eitherOf(version) })

  test('session_cancel interrupts what runs; the process and the conversation stay; then there is nothing to cancel', async () => {
    await using iris = await start()
    expect(await callTool(iris, 'session_cancel', pair)).toMatchObject({ attempted: false, processFound: false })
    await ask(iris, 'backend', 'one', { fromTeam })
    const { pid } = await iris.event('process-spawned')
    const asked = ask(iris, 'backend', 'hold', { fromTeam })
    const turnId = await held(iris)
    const cancelled = await callTool(iris, 'session_cancel', pair)
    expect(cancelled).toMatchObject({
      turnId,
      attempted: true,
      cancelled: true,
      outcome: 'cancelled',
      processFound: true,
    })
    expect(await asked).toMatchObject({ turnId, status: 'cancelled', partialResponse: 'Half an ans' })
    const next = await ask(iris, 'backend', 'two', { fromTeam })
    expect(next.response).toMatch(/^one \| .*two$/)
    const views = (await callTool(iris, 'team_status', { team: 'backend' }))['teams'] as { sessions: object[] }[]
    expect(views[0]!.sessions).toMatchObject([{ pid, processState: 'idle' }])
    expect(await callTool(iris, 'session_cancel', pair)).toMatchObject({ attempted: false, processFound: true })
    const late = await callTool(iris, 'session_cancel', { turnId })
    expect(late).toMatchObject({ attempted: false, cancelled: false, outcome: 'cancelled' })
    expect(late['message']).toContain('had ended already')
  })

  test('session_reboot starts over, with a warm process; the old conversation stays in the store and on disk', async () => {
    await using iris = await start()
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    await iris.restart()
    const rebooted = await callTool(iris, 'session_reboot', pair)
    const newSessionId = String(rebooted['newSessionId'])
    expect(rebooted).toMatchObject({ hadPreviousSession: true, oldSessionId: sessionId, processTerminated: false })
    expect(iris.daemon.parts.pool.holders().map((session) => session.sessionId)).toEqual([newSessionId])
    const next = await ask(iris, 'backend', 'two', { fromTeam })
    expect(next).toMatchObject({ response: 'two', sessionId: newSessionId })
    expect(next).not.toHaveProperty('contextReset')
    expect(await transcriptPath(iris.world.claudeDirectory, sessionId)).toBeDefined()
    expect(iris.rows('SELECT session_id, status, archived_why, origin, origin_session FROM team_sessions')).toEqual([
      {
        session_id: sessionId,
        status: 'archived',
        archived_why: 'rebooted on request',
        origin: 'new',
        origin_session: null,
      },
      { session_id: newSessionId, status: 'active', archived_why: null, origin: 'reset', origin_session: sessionId },
    ])
    expect(await callTool(iris, 'session_reboot', pair)).toMatchObject({ processTerminated: true })
  })

  test('session_reboot of a pair at work is refused; with force what waited goes on in the new conversation', async () => {
    await using iris = await start()
    await ask(iris, 'backend', 'one', { fromTeam })
    const running = ask(iris, 'backend', 'hold', { fromTeam })
    const turnId = await held(iris)
    const first = await ask(iris, 'backend', 'two', { fromTeam, timeout: -1 })
    const second = await ask(iris, 'backend', 'three', { fromTeam, timeout: -1 })
    const refused = await refusal(iris, 'session_reboot', pair)
    expect(refused).toMatchObject({ code: 'process_busy' })
    expect(refused.message).toContain(turnId)
    const rebooted = await callTool(iris, 'session_reboot', { ...pair, force: true })
    expect(rebooted).toMatchObject({ cancelledTurnId: turnId, processTerminated: true, movedTurns: 2 })
    const sessionId = rebooted['newSessionId']
    expect(await running).toMatchObject({ status: 'cancelled', sessionId: rebooted['oldSessionId'] })
    const [two, three] = [await status(iris, first.turnId), await status(iris, second.turnId)]
    expect(two).toMatchObject({ response: 'two', sessionId, contextReset: 'rebooted on request' })
    expect(three).toMatchObject({ response: 'two | three', sessionId })
    expect(three).not.toHaveProperty('contextReset')
    await iris.restart()
    expect(await status(iris, turnId)).toMatchObject({ status: 'cancelled', sessionId: rebooted['oldSessionId'] })
    expect(await status(iris, second.turnId)).toMatchObject({ response: 'two | three', sessionId })
  })

  test('session_delete leaves no conversation; the next ask opens a new one; after a restart it is still gone', async () => {
    await using iris = await start()
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    expect(await callTool(iris, 'session_delete', pair)).toMatchObject({
      hadSession: true,
      sessionId,
      processTerminated: true,
      deletedFiles: [],
    })
    expect(iris.daemon.parts.pool.size).toBe(0)
    expect(await callTool(iris, 'session_delete', pair)).toMatchObject({ hadSession: false })
    await iris.restart()
    expect(await callTool(iris, 'session_delete', pair)).toMatchObject({ hadSession: false })
    const next = await ask(iris, 'backend', 'two', { fromTeam })
    expect(next).toMatchObject({ response: 'two' })
    expect(next.sessionId).not.toBe(sessionId)
    expect(await transcriptPath(iris.world.claudeDirectory, sessionId)).toBeDefined()
  })

  test('session_delete with deleteTranscripts deletes what Claude Code and Iris wrote of it, and says so', async () => {
    await using iris = await start()
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    const other = await ask(iris, 'backend', 'two', { fromTeam, thread: 'other' })
    // The CLI writes it a moment after the answer.
    const written = (id: string) => {
      const look = () => globSync(`projects/*/${id}.jsonl`, { cwd: iris.world.claudeDirectory })[0]
      return eventually(look, 'the transcript is there')
    }
    const transcript = join(iris.world.claudeDirectory, await written(sessionId))
    const readable = join(iris.world.home, 'output_streams', sessionId)
    const deleted = await callTool(iris, 'session_delete', { ...pair, deleteTranscripts: true })
    const there = expect.stringMatching(`:~/.claude/projects/.*/${sessionId}.jsonl$`)
    expect(deleted['deletedFiles']).toEqual([isElsewhere ? there : transcript, readable])
    const left = [iris.world.home, iris.world.claudeDirectory].flatMap((path) =>
      readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes(sessionId)),
    )
    expect(left).toEqual([])
    expect(await written(other.sessionId)).toContain(other.sessionId)
    await iris.daemon.stop(0)
    expect(existsSync(readable)).toBe(false)
  })

  test('session_delete of a pair at work is refused; with force all of it is cancelled, and asks meanwhile are new', async () => {
    await using iris = await start()
    const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam })
    void ask(iris, 'backend', 'hold', { fromTeam })
    const running = await held(iris)
    const waiting = await ask(iris, 'backend', 'two', { fromTeam, timeout: -1 })
    expect(await refusal(iris, 'session_delete', pair)).toMatchObject({ code: 'process_busy' })
    const deletion = callTool(iris, 'session_delete', { ...pair, force: true })
    await iris.event('session-archived')
    const meanwhile = await ask(iris, 'backend', 'three', { fromTeam })
    expect(meanwhile).toMatchObject({ status: 'completed', response: 'three' })
    expect(meanwhile.sessionId).not.toBe(sessionId)
    expect(await deletion).toMatchObject({ sessionId, cancelledTurnIds: [running, waiting.turnId] })
    for (const turnId of [running, waiting.turnId]) {
      expect(await status(iris, turnId)).toMatchObject({ status: 'cancelled', sessionId })
    }
    expect(iris.daemon.parts.pool.holders().map((session) => session.sessionId)).toEqual([meanwhile.sessionId])
  })
})

test('an agent cancels what its own team asked, by its pair or its turn, and nothing else; it ends no conversation', async () => {
  const script: Script = ({ conversation: { lastUserText, toolResults } }) => {
    if (toolResults[0]) return { text: toolResults[0].text }
    const message = spoken(lastUserText)
    if (message === 'hold') return { stream: heldText('Half an ans', never, '') }
    const [tool, input] = message.split(' ', 2) as [string, string]
    return { toolUses: [{ name: `mcp__iris__${tool}`, input: JSON.parse(input) }] }
  }
  await using iris = await TestIris.start({ script })
  const own = await ask(iris, 'mobile', 'hold', { fromTeam: 'backend', timeout: -1 })
  const theirs = await ask(iris, 'mobile', 'hold', { fromTeam, timeout: -1 })
  const calls = async (tool: string, input: object) =>
    (await ask(iris, 'backend', `${tool} ${JSON.stringify(input)}`, { fromTeam })).response
  expect(await calls('session_cancel', { turnId: theirs.turnId })).toContain('unknown_turn')
  expect(await calls('session_cancel', { team: 'mobile', fromTeam })).toContain('from_mismatch')
  expect(await calls('session_reboot', { team: 'mobile' })).toMatch(/not_allowed|No such tool/)
  expect(await calls('session_cancel', { team: 'mobile' })).toContain(own.turnId)
  expect(await status(iris, own.turnId)).toMatchObject({ status: 'cancelled' })
  expect(await callTool(iris, 'message_status', { turnId: theirs.turnId })).toMatchObject({ status: 'async' })
})
