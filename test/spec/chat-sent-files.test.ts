import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { maxOfFile } from '../../src/base/protocol/attachment.ts'
import { tinyPng } from '../support/attachable.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { SlackDouble } from '../support/slack-double.ts'

/** `send <path>` sends that file, and answers with what the tool said. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const [, path] = /\nsend (.+)\n<\/iris-message>/.exec(lastUserText) ?? []
  if (path !== undefined && step === 0) return { toolUses: [{ name: 'mcp__iris__chat_send_file', input: { path } }] }
  return { text: `The tool said: ${toolResults.at(-1)?.text ?? 'nothing'} (${lastUserText.length})` }
}

describe.each(chatPlatforms)('%s', (platform) => {
  let clock: JumpingClock
  let chat: ChatPlace
  let iris: TestIris
  beforeAll(async () => {
    clock = new JumpingClock()
    chat = await ChatPlace.start(platform, () => clock.now())
    iris = await TestIris.start({
      claude: 'fake',
      script,
      clock,
      teams: { backend: { permissions: { deny: ['Read(secret.txt)'] } } },
    })
    const project = iris.world.directory('backend')
    mkdirSync(join(project, 'out'))
    writeFileSync(join(project, 'out/the picture.png'), tinyPng)
    writeFileSync(join(project, 'secret.txt'), 'hidden')
    writeFileSync(join(project, 'empty'), '')
    writeFileSync(join(project, 'large'), 'x')
    truncateSync(join(project, 'large'), maxOfFile + 1)
    writeFileSync(join(iris.world.home, 'outside.txt'), 'of somebody else')
    symlinkSync(join(iris.world.home, 'outside.txt'), join(project, 'link.txt'))
    symlinkSync('/dev/zero', join(project, 'device'))
    execFileSync('mkfifo', [join(project, 'pipe')])
    await joined()
  })
  afterAll(async () => {
    await iris[Symbol.asyncDispose]()
    await chat[Symbol.asyncDispose]()
  })
  const joined = async (role: { tools?: string[]; chatTools?: string[] } = {}): Promise<void> => {
    chat.join(iris.world, {}, { roles: { chat_bot: role } })
    const isInForce = (): boolean => {
      const { channels, roles } = iris.daemon.parts.config()
      const { tools = ['Read', 'Grep', 'Glob'], chatTools = ['reply', 'react', 'history', 'file'] } = role
      const { tools: now, chatTools: nowInChats } = roles.get('chat_bot')!
      return channels.has('shop') && isDeepStrictEqual([tools, chatTools], [now, nowInChats])
    }
    await eventually(isInForce, 'config.yaml is in force')
    await chat.listens()
  }
  const last = `SELECT state FROM channel_posts WHERE turn IS NULL AND text IS NULL ORDER BY id DESC LIMIT 1`
  /** The tool's result for the model. */
  const sent = async (path: string): Promise<string> => {
    const before = chat.texts.filter((text) => text.startsWith('The tool said')).length
    chat.say(`send ${path}`)
    const answers = (): number => chat.texts.filter((text) => text.startsWith('The tool said')).length
    await chat.double.until(() => answers() > before, 'there is an answer')
    const idle = `SELECT 1 FROM channel_posts WHERE state IN ('waiting', 'sending', 'reserved')`
    await eventually(() => iris.rows(idle).length === 0, 'everything is posted')
    return chat.texts.findLast((text) => text.startsWith('The tool said'))!
  }

  test('an agent sends a file of its project: the same bytes, once, and Iris keeps none of them', async () => {
    expect(await sent('out/the picture.png')).toContain('"the picture.png"')
    expect(chat.double.documents).toEqual([{ name: 'the picture.png', content: tinyPng }])
    expect(chat.texts).toContain('[the picture.png]')
    expect(iris.rows('SELECT post FROM channel_files')).toEqual([])
  })

  test('a connection that breaks after the file arrived leads to no second one', async () => {
    const before = chat.double.documents.length
    chat.say('hello')
    await chat.posted((text) => text.includes('The tool said: nothing'), 'it answers')
    chat.fails('file', 'drop')
    const answers = (): number => chat.texts.filter((text) => text.startsWith('The tool said: {')).length
    const answered = answers()
    chat.say('send out/the picture.png')
    await chat.double.until(() => chat.double.documents.length > before, 'the file arrived')
    await eventually(async () => {
      await clock.jump(2000)
      return ['posted', 'in_doubt'].includes(String(iris.rows(last)[0]?.['state'])) && answers() > answered
    }, 'the file has ended')
    expect(chat.double.documents).toHaveLength(before + 1)
    expect(iris.rows(last)).toEqual([{ state: platform === 'telegram' ? 'in_doubt' : 'posted' }])
  })

  test.each([platform].filter((each) => each === 'slack'))(
    'a file that the platform refuses does not hold back what comes after it',
    async () => {
      const { double } = chat
      if (!(double instanceof SlackDouble)) throw new Error('it is no Slack')
      double.refusesUploads = true
      await sent('out/the picture.png')
      expect(iris.rows(last)).toEqual([{ state: 'failed' }])
      double.refusesUploads = false
      await sent('out/the picture.png')
      expect(iris.rows(last)).toEqual([{ state: 'posted' }])
    },
  )

  test.each([platform].filter((each) => each === 'telegram'))(
    'what the agent could not read, or is no file of its project, is refused',
    async () => {
      const before = chat.double.documents.length
      const outside = join(iris.world.home, 'outside.txt')
      for (const path of [
        'secret.txt',
        outside,
        '../outside',
        'link.txt',
        'device',
        'pipe',
        'out',
        'large',
        'none',
        'empty',
      ]) {
        const said = await sent(path)
        expect([path, said]).toEqual([path, expect.stringMatching(/file_refused|not_allowed|invalid_input/)])
      }
      expect(chat.double.documents).toHaveLength(before)
    },
  )

  test.each([platform].filter((each) => each === 'telegram'))(
    'a role without the tool, or one that reads no files, sends none',
    async () => {
      const before = chat.double.documents.length
      await joined({ chatTools: ['reply'] })
      expect(await sent('out/the picture.png')).toMatch(/The role \\?"chat_bot\\?" may not send files to chats\./)
      await joined({ tools: ['Grep'] })
      expect(await sent('out/the picture.png')).toContain('may not read files')
      expect(chat.double.documents).toHaveLength(before)
    },
  )
})
