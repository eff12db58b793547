import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli } from '../../src/app/probe/cli.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

describe.each(claudeVersions)('a fork by Claude Code %s', (version) => {
  let world: PinWorld
  const source = crypto.randomUUID()
  const firstAnswer = () => String(world.transcript(source).find(({ type }) => String(type) === 'assistant')?.uuid)
  beforeAll(async () => {
    world = await pinWorld(version, ({ conversation }) => ({ text: conversation.userTexts.join(' | ') }))
    const cli = world.start({ args: ['--session-id', source] })
    await cli.turn('one')
    await cli.turn('two')
    await cli.end()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const forked = (sessionId: string, at: string): Cli =>
    world.start({ args: ['--resume', source, '--fork-session', '--session-id', sessionId, '--resume-session-at', at] })
  const answerTo = async (cli: Cli, text: string) => String((await cli.turn(text)).at(-1)?.result)

  test('at an earlier message holds what was said until then, and has no file before its own first message', async () => {
    const sessionId = crypto.randomUUID()
    const cli = forked(sessionId, firstAnswer())
    await cli.request({ subtype: 'initialize' })
    expect(world.transcriptFile(sessionId)).toBeUndefined()
    expect(await answerTo(cli, 'other')).toBe('one | other')
    await cli.end()
  })

  test('is resumed from a copy of the transcript under another id, cut after an answer', async () => {
    const sessionId = crypto.randomUUID()
    const path = world.transcriptFile(source)!
    const lines = readFileSync(path, 'utf8').replaceAll(source, sessionId).split('\n')
    const end = lines.findIndex((line) => line.includes(`"uuid":"${firstAnswer()}"`)) + 1
    writeFileSync(path.replace(source, sessionId), `${lines.slice(0, end).join('\n')}\n`)
    const cli = world.start({ args: ['--resume', sessionId] })
    expect(await answerTo(cli, 'other')).toBe('one | other')
    await cli.end()
  })

  test('does not find a message from before a compaction', async () => {
    const at = firstAnswer()
    const cli = world.start({ args: ['--resume', source] })
    await cli.turn('/compact')
    await cli.end()
    const boundary = () => readFileSync(world.transcriptFile(source)!, 'utf8').includes('compact_boundary')
    await eventually(boundary, 'the compaction is in the transcript')
    const late = forked(crypto.randomUUID(), at)
    expect(await late.exited).toEqual({ code: 1, signal: null })
    expect(late.stderr).toBe(`No message found with message.uuid of: ${at}\n`)
  })
})
