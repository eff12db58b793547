import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { asUsedBefore, Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

/** Answers with everything that was ever said in this conversation, by hand too, as Claude Code resent it. */
const remembers: Script = ({ conversation }) => ({
  text: `heard: ${conversation.userTexts
    .map(spoken)
    .filter((text) => !text.startsWith('<'))
    .join(' | ')}`,
})

describe.each(contractVersions)('with Claude Code %s', (version) => {
  const start = async (script = remembers) => {
    const iris = await TestIris.start({ script, settings: { claudePath: claudeBinary(version) } })
    // Before any claude runs: a running one would write its own form of the file over it.
    asUsedBefore(join(iris.world.root, '.claude.json'), iris.world.directory('backend'))
    return iris
  }
  const at = (iris: TestIris) => ({ cwd: iris.world.directory('backend'), env: iris.world.env })
  /** Once what was answered is on disk: the CLI writes it a moment later, and would find no conversation before. */
  const personAt = async (iris: TestIris, sessionId: string, more = ''): Promise<Terminal> => {
    const file = `${iris.world.directory('backend').replace(/[^a-zA-Z0-9]/g, '-')}/${sessionId}.jsonl`
    const path = join(iris.world.claudeDirectory, 'projects', file)
    await eventually(() => existsSync(path) && readFileSync(path, 'utf8').includes('"end_turn"'), 'the transcript')
    return new Terminal(`exec ${claudeBinary(version)} --resume ${sessionId} ${more}`, at(iris))
  }
  const queued = async (iris: TestIris, message: string) =>
    ((await callTool(iris, 'quick_message', { toTeam: 'backend', message })) as TurnResult).turnId
  const end = (iris: TestIris, turnId: string) => callTool(iris, 'message_status', { turnId, timeout: 0 })

  test('what a person says in a terminal is part of the conversation, and nobody speaks in between', async () => {
    await using iris = await start()
    const { sessionId } = await ask(iris, 'backend', 'one')
    await using person = await personAt(iris, sessionId)
    await person.shows('❯')
    await iris.event('session-held')
    await iris.event('process-exited')
    const turnId = await queued(iris, 'two')
    await person.type('by hand')
    await person.shows('one | by hand')
    await person.type('/exit')
    const answer = await end(iris, turnId)
    expect(answer).toMatchObject({ status: 'completed', response: 'heard: one | by hand | two', sessionId })
    expect(answer).not.toHaveProperty('contextReset')
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('after /clear and after /branch it goes on where the person went, and the caller is told', {
    tags: ['thorough'],
  }, async () => {
    await using iris = await start()
    const { sessionId } = await ask(iris, 'backend', 'one')
    await using person = await personAt(iris, sessionId)
    await person.shows('❯')
    const session = { as: (await iris.event('session-held')).as }
    const moved = async () => {
      session.as = (await iris.event('session-held', ({ as }) => as !== session.as && as !== sessionId)).as
    }
    await person.type('/clear')
    await moved()
    await person.type('afresh')
    await person.shows('heard: afresh')
    await person.type('/exit')
    const cleared = await ask(iris, 'backend', 'two')
    expect(cleared).toMatchObject({ status: 'completed', response: 'heard: afresh | two', sessionId: session.as })
    expect(cleared.contextReset).toContain(sessionId)
    await using again = await personAt(iris, session.as)
    await iris.event('session-held', (event) => event.sessionId === session.as)
    await again.shows('❯')
    await again.type('/branch')
    await moved()
    await again.type('by hand')
    await again.shows('two | by hand')
    await again.type('/exit')
    expect(await ask(iris, 'backend', 'three')).toMatchObject({
      response: 'heard: afresh | two | by hand | three',
      sessionId: session.as,
      contextReset: expect.stringContaining(session.as),
    })
  })

  test('a headless claude of a person holds it as well', { tags: ['thorough'] }, async () => {
    const gate = { file: '' }
    // It ends with its answer, which it gets when Iris has seen it.
    await using iris = await start(async (request) => {
      const isByHand = request.conversation.lastUserText.includes('by hand')
      await eventually(() => !isByHand || existsSync(gate.file), 'the gate opens')
      return remembers(request)
    })
    gate.file = join(iris.world.root, 'gate')
    const { sessionId } = await ask(iris, 'backend', 'one')
    await using person = await personAt(iris, sessionId, "-p 'by hand'")
    await iris.event('session-held')
    writeFileSync(gate.file, '')
    expect(await ask(iris, 'backend', 'two')).toMatchObject({ response: 'heard: one | by hand | two', sessionId })
    await person.exited()
  })

  test('a person who came while a turn was at work goes on without its answer, and the next caller is told', {
    tags: ['thorough'],
  }, async () => {
    const gate = { file: '' }
    await using iris = await start(async (request) => {
      const isSlow = request.conversation.lastUserText.includes('slow')
      await eventually(() => !isSlow || existsSync(gate.file), 'the gate opens')
      return remembers(request)
    })
    gate.file = join(iris.world.root, 'gate')
    const { sessionId } = await ask(iris, 'backend', 'one')
    const slow = ask(iris, 'backend', 'slow')
    await iris.event('turn-message', ({ message }) => JSON.stringify(message).includes('"init"'))
    await using person = await personAt(iris, sessionId)
    await person.shows('❯')
    await iris.event('session-held')
    writeFileSync(gate.file, '')
    expect(await slow).toMatchObject({ status: 'completed', response: 'heard: one | slow' })
    await iris.event('process-exited')
    await person.type('by hand')
    await person.shows('| by hand')
    await person.type('/exit')
    expect(await ask(iris, 'backend', 'two')).toMatchObject({
      sessionId,
      contextReset: expect.stringContaining('from before the last answer'),
    })
    expect(await ask(iris, 'backend', 'three')).not.toHaveProperty('contextReset')
  })
})
