import { execFile } from 'node:child_process'
import { chmod, mkdir, rm, symlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { changeConfig } from './change-text.ts'
import type { Config } from './config.ts'
import { isTooLarge } from './config-text.ts'
import { ConfigEditor } from './editor.ts'
import { ProblemList } from './problem.ts'

const uid = process.getuid?.() ?? 0

test.for([
  [0o666, '666'],
  [0o620, '620'],
  [0o602, '602'],
] as const)('a file with mode %o is refused', async ([mode, shown]) => {
  await using disk = await temporaryHome()
  await disk.write('iris/config.yaml', '')
  await chmod(`${disk.home}/config.yaml`, mode)
  expect(await disk.mistakes()).toBe(`/r/iris/config.yaml
  Problem: others can write to the file (mode ${shown})
  Allowed: a file that only you can write to
  Fix:     Run: chmod go-w /r/iris/config.yaml`)
})

test('a file that others can only read is taken', async () => {
  await using disk = await temporaryHome()
  await disk.write('iris/config.yaml', 'settings: { httpPort: 0 }')
  await chmod(`${disk.home}/config.yaml`, 0o644)
  expect((await disk.load()).settings.httpPort).toBe(0)
})

test('a file of another user is refused', async () => {
  await using disk = await temporaryHome()
  expect(await disk.mistakes('', {}, uid + 1)).toBe(`/r/iris/config.yaml
  Problem: the file belongs to another user (user id ${uid}, yours is ${uid + 1})
  Allowed: a file of your own
  Fix:     Check its contents, then take ownership: sudo chown ${uid + 1} /r/iris/config.yaml`)
})

test('an unsafe file is still read, so that one run names every mistake', async () => {
  await using disk = await temporaryHome()
  await disk.write('iris/config.yaml', 'team: {}')
  await chmod(`${disk.home}/config.yaml`, 0o666)
  expect(await disk.mistakes()).toMatch(/mode 666[^]*Did you mean teams\?/)
})

test('a link to a file of one’s own is followed', async () => {
  await using disk = await temporaryHome()
  await disk.write('dotfiles/iris.yaml', 'settings: { httpPort: 0 }')
  await symlink('../dotfiles/iris.yaml', `${disk.home}/config.yaml`)
  expect((await disk.load()).settings.httpPort).toBe(0)
})

test('a link to nothing is a mistake, not an absent file', async () => {
  await using disk = await temporaryHome()
  await symlink('../dotfiles/iris.yaml', `${disk.home}/config.yaml`)
  expect(await disk.mistakes()).toBe(`/r/iris/config.yaml
  Problem: the file is a broken link
  Fix:     See why with: ls -l /r/iris/config.yaml`)
})

const notAFile = `/r/iris/config.yaml
  Problem: config.yaml is not a file
  Fix:     Move it away and create a regular file in its place.`

test('a directory in its place is refused', async () => {
  await using disk = await temporaryHome()
  await mkdir(`${disk.home}/config.yaml`)
  expect(await disk.mistakes()).toBe(notAFile)
})

test('a named pipe in its place is refused without waiting for a writer', async () => {
  await using disk = await temporaryHome()
  await promisify(execFile)('mkfifo', [`${disk.home}/config.yaml`])
  expect(await disk.mistakes()).toBe(notAFile)
})

test('a home that is a file is refused', async () => {
  await using disk = await temporaryHome()
  await rm(disk.home, { recursive: true })
  await disk.write('iris', '')
  expect(await disk.mistakes()).toBe(`/r/iris/config.yaml
  Problem: the file cannot be read (ENOTDIR)
  Fix:     See why with: ls -l /r/iris/config.yaml`)
})

test('a file that is not UTF-8 is refused', async () => {
  await using disk = await temporaryHome()
  await disk.write('iris/config.yaml', Uint8Array.of(0x61, 0x3a, 0x20, 0xff))
  expect(await disk.mistakes()).toBe(`/r/iris/config.yaml
  Problem: the file is not text in UTF-8
  Fix:     Save it as UTF-8.`)
})

test('a byte order mark does no harm', async () => {
  await using disk = await temporaryHome()
  expect((await disk.load('\ufeffsettings: { httpPort: 0 }')).settings.httpPort).toBe(0)
})

test.each([
  ['[', 1],
  ['{a: ', 1],
  ['- ', 1],
  ['? ', 1],
  ['\n', 1],
  ['#\n', 1],
  ['a,', 1],
  ['&a ', 1],
  ['*a ', 1],
  ['! ', 1],
  ['k: 1\n', 2],
])('a text of nothing but %j is refused before it is parsed', async (piece, count) => {
  await using disk = await temporaryHome()
  const text = piece.repeat(Math.ceil(50_001 / count))
  const words = 'the file has more than 50000 lines, brackets, commas and other marks of YAML'
  expect(await disk.mistakes(text)).toContain(words)
  const editor = new ConfigEditor({
    env: {},
    config: () => ({ home: disk.home, teams: new Map() }) as unknown as Config,
  })
  expect((await editor.check(text)).problems).toEqual([expect.objectContaining({ problem: words })])
  await expect(changeConfig({ home: disk.home, env: {} }, () => {})).rejects.toThrow(words)
})

test('a thousand teams are no such text', () => {
  const keys =
    'path: /srv/a, b-c/d\n    model: opus\n    env: { A: b, C: d }\n    allowedTools: [Read, Edit, Bash(git *)]'
  const text = Array.from({ length: 1000 }, (_, at) => `  t${at}:\n    ${keys}\n`).join('')
  expect(isTooLarge(`teams:\n${text}`, new ProblemList('config.yaml'))).toBe(false)
})

test('a file larger than any configuration is refused', async () => {
  await using disk = await temporaryHome()
  expect(await disk.mistakes('#'.repeat(1_048_577))).toBe(`/r/iris/config.yaml
  Problem: the file is larger than 1048576 bytes
  Fix:     Remove what is not configuration.`)
})
