import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ChatPlace } from '../support/chat-places.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'

/** Obeys: sends each path of the JSON that it learns, all at once, and answers with the results, one a line. */
const obedient: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const [, paths] = /\nsend (\[.+\])\n<\/iris-message>/.exec(lastUserText) ?? []
  if (paths !== undefined && step === 0) {
    return {
      toolUses: (JSON.parse(paths) as string[]).map((path) => ({
        name: 'mcp__iris__chat_send_file',
        input: { path },
      })),
    }
  }
  const results = toolResults.map(({ text }) => (/"?code"?: ?"?(\w+)/.exec(text)?.[1] ?? text).replaceAll('\n', ' '))
  return { text: `Results:\n${results.join('\n')}` }
}

let chat: ChatPlace
let iris: TestIris
let project: string
beforeAll(async () => {
  chat = await ChatPlace.start('telegram')
  iris = await TestIris.start({
    claude: 'fake',
    script: obedient,
    teams: {
      backend: {
        permissions: { deny: ['Read(releases/hidden.txt)', 'Read(secret.txt)'] },
        disallowedTools: ['Read(disallowed.txt)'],
      },
    },
  })
  project = iris.world.directory('backend')
  mkdirSync(join(project, 'releases/5'), { recursive: true })
  mkdirSync(join(project, '~'))
  writeFileSync(join(project, 'releases/hidden.txt'), 'hidden')
  writeFileSync(join(project, 'secret.txt'), 'hidden')
  writeFileSync(join(project, 'disallowed.txt'), 'hidden')
  writeFileSync(join(project, 'plain.txt'), 'plain')
  symlinkSync('releases/5', join(project, 'current'))
  chat.join(iris.world)
  await chat.listens()
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await chat[Symbol.asyncDispose]()
})

/** The tool's result for the model, for each path. */
async function results(paths: readonly string[]): Promise<readonly string[]> {
  const before = chat.texts.filter((text) => text.startsWith('Results:')).length
  chat.say(`send ${JSON.stringify(paths)}`)
  const answers = (): number => chat.texts.filter((text) => text.startsWith('Results:')).length
  await chat.double.until(() => answers() > before, 'there is an answer')
  const open = `SELECT 1 FROM channel_posts WHERE state IN ('waiting', 'sending', 'reserved')`
  await eventually(() => iris.rows(open).length === 0, 'everything is posted')
  return chat.texts
    .findLast((text) => text.startsWith('Results:'))!
    .split('\n')
    .slice(1)
}

test('no way of writing a path leads past a rule that denies, or out of the project', async () => {
  const outside = join(iris.world.home, 'outside.txt')
  writeFileSync(outside, 'of somebody else')
  symlinkSync('/proc/self/environ', join(project, 'environ'))
  symlinkSync('secret.txt', join(project, 'other.txt'))
  symlinkSync(iris.world.home, join(project, 'home'))
  writeFileSync(join(project, 'four gigabytes'), '')
  truncateSync(join(project, 'four gigabytes'), 4 * 1024 ** 3)
  execFileSync('mkfifo', [join(project, 'pipe')])
  const before = chat.double.documents.length
  const paths = [
    'current/../hidden.txt',
    './current/../hidden.txt',
    `${project}/current/../hidden.txt`,
    '~/../secret.txt',
    './/secret.txt',
    'releases/../secret.txt',
    'other.txt',
    'plain.txt/../secret.txt',
    'secret.txt\u0000',
    'secret.txt/',
    'environ',
    '/proc/self/environ',
    '/dev/stdin',
    'pipe',
    'pipe/.',
    'home/outside.txt',
    outside,
    `../../../../../../../../${outside}`,
    '~/outside.txt',
    'four gigabytes',
    '.',
    '/',
    '..',
    '\n',
    '\u202E',
    'file:///etc/passwd',
    'a'.repeat(4096),
    'plain.txt\n',
    'disallowed.txt',
  ]
  const said = await results(paths)
  const sent = said.map((text, index) => [paths[index], text]).filter(([, text]) => text!.includes('"bytes"'))
  expect(sent).toEqual([])
  expect(said).toHaveLength(paths.length)
  expect(chat.double.documents).toHaveLength(before)
}, 60_000)

test('a name shows people nothing but itself', async () => {
  const before = chat.double.documents.length
  const name = 'bill\u202Efdp.exe\r\n";filename="x\u200B.txt'
  writeFileSync(join(project, name), 'x')
  linkSync(join(project, 'plain.txt'), join(project, '...'))
  await results([name, '...'])
  expect(chat.double.documents.slice(before).map((one) => one.name)).toEqual([
    'bill_fdp.exe___;filename=_x_.txt',
    'attachment',
  ])
})

test('an answer has twenty files at most', async () => {
  const before = chat.double.documents.length
  const said = await results(Array.from({ length: 30 }, () => 'plain.txt'))
  expect(said.filter((text) => text.includes('"bytes"'))).toHaveLength(20)
  expect(chat.double.documents).toHaveLength(before + 20)
}, 60_000)
