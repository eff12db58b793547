import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stepwise, type ToolUse } from '../../src/app/demo/script.ts'
import type { Cli } from '../../src/app/probe/cli.ts'
import { initialize, type PipeHost, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { projectSlug } from '../../src/claude/driver/project-slug.ts'
import { tinyPdf, tinyPng } from '../support/attachable.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

describe.each(claudeVersions)('what comes with a message, as Claude Code %s takes it', (version) => {
  let world: PinWorld
  let host: PipeHost
  let cli: Cli
  let use: ToolUse | undefined
  const sessionId = crypto.randomUUID()
  beforeAll(async () => {
    world = await pinWorld(version, (request) =>
      use ? stepwise({ toolUses: [use] }, { text: 'done' })(request) : { text: 'seen' },
    )
    host = pipeHost()
    host.permission = () => ({ behavior: 'deny', message: 'no' })
    cli = world.start({ answer: host.answer, args: ['--session-id', sessionId] })
    await cli.request(initialize)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  /** Sends a message of these blocks. Resolves with the blocks of the last message that the model was sent. */
  async function say(...content: readonly object[]) {
    const since = cli.lines.length
    const message = { role: 'user', content }
    cli.send({ type: 'user', uuid: crypto.randomUUID(), message, session_id: '', parent_tool_use_id: null })
    await cli.line({ type: 'result' }, since)
    const said = world.model.requests.recent.at(-1)!.body.messages.findLast(({ role }) => role === 'user')!
    return said.content as readonly { readonly type: string; readonly text?: string }[]
  }
  const text = (words: string) => ({ type: 'text', text: words })
  const block = (type: string, mediaType: string, bytes: Buffer) => ({
    type,
    source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') },
  })

  test('a picture and a document before the text reach the model as they are', async () => {
    const [picture, document] = [block('image', 'image/png', tinyPng), block('document', 'application/pdf', tinyPdf)]
    const said = await say(picture, document, text('look'))
    expect(said).toMatchObject(expect.arrayContaining([expect.objectContaining(picture), document]))
    expect(said.some((each) => each.text?.trim() === 'look')).toBe(true)
    expect(cli.lines.find(({ isReplay }) => isReplay)).toMatchObject({ message: { content: [picture, document, {}] } })
  })

  test('a picture that cannot be read becomes a text', async () => {
    const said = await say(block('image', 'image/png', tinyPng.subarray(0, 12)), text('look again'))
    expect(said).toEqual(
      expect.arrayContaining([expect.objectContaining({ text: expect.stringMatching(/^\[Image could not be/) })]),
    )
  })

  test.each([
    [
      'the directory of its conversation',
      true,
      () => ['projects', projectSlug(world.project), sessionId, 'attachments'],
    ],
    ['another directory of Claude Code', false, () => ['attachments']],
  ])('it reads a file in %s without a question: %s', async (_place, isFree, names) => {
    const place = join(world.home, '.claude', ...names())
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'note.txt'), 'the note')
    use = { name: 'Read', input: { file_path: join(place, 'note.txt') } }
    const since = host.asked.length
    await say(text(`read ${place}`))
    const asked = host.asked.slice(since).map(({ subtype }) => String(subtype))
    expect(asked.includes('can_use_tool')).toBe(!isFree)
  })
})
