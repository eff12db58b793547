import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ModelFailure, ModelReply, ModelRequest, Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const filling = 'much was said '.repeat(2000)

/** A model that refuses what is longer than its limit; it has none until `lower`. */
function limitedModel(reply: (request: ModelRequest) => ModelReply) {
  let limit = Number.MAX_SAFE_INTEGER
  const script: Script = (request) => {
    const { userTexts, allToolResults } = request.conversation
    const size = [...userTexts, ...allToolResults.map(({ text }) => text)].join('').length
    return size > limit ? refusal(size, limit) : reply(request)
  }
  return { script, lower: (fillings: number) => (limit = fillings * filling.length) }
}

/** As the API says it. */
function refusal(size: number, limit: number): ModelFailure {
  const message = `prompt is too long: ${size} tokens > ${limit} maximum`
  return { error: { status: 400, type: 'invalid_request_error', message } }
}

const remembers = ({ conversation: { userTexts } }: ModelRequest): ModelReply => ({
  text: userTexts.map(spoken).join(' | ').replaceAll(filling.trim(), 'FILLED'),
})
const sumsUp: Script = () => ({ text: '<analysis>-</analysis>\n<summary>WHAT WAS SAID</summary>' })
const refusesToSumUp: Script = () => refusal(2, 1)

/** Three messages that fill. Returns the id of the conversation. */
async function filled(iris: TestIris): Promise<string> {
  const first = await ask(iris, 'backend', `one ${filling}`, { fromTeam })
  for (const name of ['two', 'three']) await ask(iris, 'backend', `${name} ${filling}`, { fromTeam })
  return first.sessionId
}

function sessionRows(iris: TestIris) {
  return iris.rows('SELECT * FROM team_sessions ORDER BY id')
}

describe.each(contractVersions)('a conversation that the API finds too long for Claude Code %s', (version) => {
  const start = (script: Script, compaction: Script, env: Record<string, string> = {}) =>
    TestIris.start({
      script,
      compaction,
      teams: { frontend: {}, backend: { env, grantPermission: 'yes', dangerous: true } },
      settings: { claudePath: claudeBinary(version) },
    })

  test('is compacted where Claude Code did not do that, and the message is delivered again', async () => {
    const { script, lower } = limitedModel(remembers)
    await using iris = await start(script, sumsUp, { DISABLE_AUTO_COMPACT: '1' })
    const sessionId = await filled(iris)
    lower(2.5)
    const next = await ask(iris, 'backend', 'four', { fromTeam })
    expect(next).toMatchObject({
      status: 'completed',
      sessionId,
      response: expect.stringMatching(/WHAT WAS SAID.*four$/s),
    })
    expect(next).not.toHaveProperty('contextReset')
    expect(await ask(iris, 'backend', 'five', { fromTeam })).toMatchObject({ status: 'completed', sessionId })
    expect(sessionRows(iris)).toMatchObject([{ status: 'active', message_count: 5 }])
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('is rotated where no summary can be made, and says so', async () => {
    const { script, lower } = limitedModel(remembers)
    await using iris = await start(script, refusesToSumUp)
    const sessionId = await filled(iris)
    lower(2.5)
    const next = await ask(iris, 'backend', 'four', { fromTeam })
    expect(next).toMatchObject({
      status: 'completed',
      response: expect.stringMatching(/FILLED.*four$/s),
      contextReset: "the model's API found it too long, and a new conversation began with a summary of it",
    })
    expect(next.sessionId).not.toBe(sessionId)
    const after = await ask(iris, 'backend', 'five', { fromTeam })
    expect(after).toMatchObject({ status: 'completed', sessionId: next.sessionId })
    expect(after).not.toHaveProperty('contextReset')
    expect(sessionRows(iris)).toMatchObject([
      { status: 'archived', session_id: sessionId, archived_why: next.contextReset },
      { status: 'active', origin: 'rotation', origin_session: sessionId },
    ])
  })

  test('goes on from what was done where a tool had started, and runs no tool twice', async () => {
    const { script, lower } = limitedModel((request) => {
      const { conversation } = request
      const isFirst = conversation.step === 0 && !conversation.lastUserText.includes('<iris-continuation>')
      if (!conversation.lastUserText.includes('work') || !isFirst) return remembers(request)
      return {
        toolUses: [{ name: 'Bash', input: { command: 'echo ran >> ran; head -c 25000 /dev/zero | tr "\\0" x' } }],
      }
    })
    await using iris = await start(script, refusesToSumUp)
    await filled(iris)
    lower(3.5)
    const next = await ask(iris, 'backend', 'work', { fromTeam })
    expect(next).toMatchObject({ status: 'completed', contextReset: expect.stringContaining('found it too long') })
    expect(next.response).toMatch(/<iris-continuation>.*These tools had started.*Bash.*work$/s)
    expect(readFileSync(join(iris.world.directory('backend'), 'ran'), 'utf8')).toBe('ran\n')
  })

  test('stays while a command runs in its background, and the answer says so', async () => {
    const { script, lower } = limitedModel((request) => {
      const isFirst = request.conversation.step === 0 && request.conversation.lastUserText.includes('serve')
      const command = { command: 'sleep 600', run_in_background: true }
      return isFirst ? { toolUses: [{ name: 'Bash', input: command }] } : remembers(request)
    })
    await using iris = await start(script, refusesToSumUp)
    const { sessionId } = await ask(iris, 'backend', `serve ${filling}`, { fromTeam })
    lower(0.5)
    expect(await ask(iris, 'backend', 'two', { fromTeam })).toMatchObject({
      status: 'failed',
      sessionId,
      detail: expect.stringContaining('a background task is still running in it'),
    })
    expect(sessionRows(iris)).toHaveLength(1)
  })

  test('is not blamed for a message that is too long by itself, which leaves nothing behind', async () => {
    const { script, lower } = limitedModel(remembers)
    await using iris = await start(script, sumsUp)
    await ask(iris, 'backend', 'one', { fromTeam })
    lower(3)
    const refused = await ask(iris, 'backend', filling.repeat(4), { fromTeam })
    expect(refused).toMatchObject({
      status: 'failed',
      reason: 'api_error',
      detail: expect.stringContaining('Put it into a file'),
    })
    const next = await ask(iris, 'backend', 'two', { fromTeam })
    expect(next.status).toBe('completed')
    expect(next.response).toMatch(/one.*two$/s)
  })
})

describe('a turn that is refused as too long', () => {
  const start = (script: Script, backend: object = {}, settings: Record<string, unknown> = {}) =>
    TestIris.start({
      claude: 'fake',
      script,
      settings,
      teams: { frontend: {}, backend: { grantPermission: 'yes', dangerous: true, ...backend } },
    })
  /** Every request is refused from the word on, however often the conversation is compacted or replaced. */
  const refusesFrom =
    (word: string, first?: ModelReply): Script =>
    (request) => {
      const { lastUserText, step } = request.conversation
      if (!lastUserText.includes(word)) return remembers(request)
      return first !== undefined && step === 0 ? first : refusal(2, 1)
    }

  test('is in doubt where it used a tool and `onInterrupted` is `report`', async () => {
    const uses = { toolUses: [{ name: 'Bash', input: { command: 'echo ran >> ran' } }] }
    await using iris = await start(refusesFrom('work', uses), { onInterrupted: 'report' })
    await ask(iris, 'backend', 'one', { fromTeam })
    const doubt = await ask(iris, 'backend', 'work', { fromTeam })
    expect(doubt).toMatchObject({ status: 'in_doubt', reason: 'interrupted' })
    expect(readFileSync(join(iris.world.directory('backend'), 'ran'), 'utf8')).toBe('ran\n')
    expect(await ask(iris, 'backend', 'two', { fromTeam })).toMatchObject({ status: 'completed' })
  })

  test('says that the work takes too much where a new conversation did not help, and uses its tool once in each', async () => {
    const uses = { toolUses: [{ name: 'Bash', input: { command: 'echo ran >> ran' } }] }
    await using iris = await start(refusesFrom('work', uses))
    await ask(iris, 'backend', 'one', { fromTeam })
    const refused = await ask(iris, 'backend', 'work', { fromTeam })
    expect(refused).toMatchObject({ status: 'failed', detail: expect.stringContaining('Ask for it in smaller steps') })
    expect(readFileSync(join(iris.world.directory('backend'), 'ran'), 'utf8')).toBe('ran\n'.repeat(3))
  })

  test('names the way out where even a new conversation with a short message is refused', async () => {
    await using iris = await start(refusesFrom('REFUSED'))
    await ask(iris, 'backend', 'one', { fromTeam, thread: 'work' })
    const refused = await ask(iris, 'backend', 'REFUSED', { fromTeam, thread: 'work' })
    expect(refused).toMatchObject({
      status: 'failed',
      reason: 'api_error',
      detail: expect.stringContaining(
        'To start one without a summary, run iris reboot frontend backend --thread work.',
      ),
    })
    expect(refused).not.toHaveProperty('partialResponse')
    const next = await ask(iris, 'backend', 'two', { fromTeam, thread: 'work' })
    expect(next).toMatchObject({ status: 'completed', response: expect.stringMatching(/iris-summary.*one.*two$/s) })
  })

  test('begins a conversation anew without a word where nothing was answered in it', async () => {
    await using iris = await start(refusesFrom('REFUSED'))
    const refused = await ask(iris, 'backend', 'REFUSED', { fromTeam })
    expect(refused.status).toBe('failed')
    expect(refused).not.toHaveProperty('contextReset')
    const next = await ask(iris, 'backend', 'two', { fromTeam })
    expect(next).toMatchObject({ status: 'completed', response: 'two' })
    expect(next).not.toHaveProperty('contextReset')
  })

  test('is delivered to an empty conversation where `onContextFull` is `reset`', async () => {
    const { script, lower } = limitedModel(remembers)
    await using iris = await start(script, {}, { onContextFull: 'reset' })
    await filled(iris)
    lower(1)
    expect(await ask(iris, 'backend', 'four', { fromTeam })).toMatchObject({
      response: 'four',
      contextReset: "the model's API found it too long, and a new conversation began without it",
    })
  })

  test('is delivered once more after a crash in the middle, and answered once', async () => {
    const { script, lower } = limitedModel(remembers)
    await using iris = await start(script, {}, { onContextFull: 'rotate' })
    await filled(iris)
    lower(2.5)
    const { turnId } = await ask(iris, 'backend', 'four', { fromTeam, timeout: -1 })
    await iris.event('session-archived')
    await iris.restart()
    const ended = await callTool(iris, 'message_status', { turnId, timeout: 0 })
    expect(ended).toMatchObject({ status: 'completed', response: expect.stringMatching(/four$/) })
  })
})
