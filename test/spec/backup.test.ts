import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { CommandsBehind } from '../support/commands-behind.ts'
import { eventually } from '../support/eventually.ts'
import { readOnly } from '../support/mounted.ts'
import { Installation } from '../support/program.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { withSmallDisk } from '../support/small-disk.ts'
import { spoken } from '../support/world.ts'

/** The first "think" never ends. */
function thinksOnce(): Script {
  let thoughts = 0
  return ({ conversation: { lastUserText, userTexts } }) => {
    const text = spoken(lastUserText)
    if (text === 'think' && (thoughts += 1) === 1) return { stream: heldText('It depends', new Promise(() => {}), '') }
    return { text: `answer to message ${userTexts.length}` }
  }
}

test.each(claudeVersions)(
  '%s: a backup of a running Iris, restored where nothing of it is left, goes on with its conversations',
  async (version) => {
    const settings = { claudePath: claudeBinary(version) }
    await using installation = await Installation.create({ script: thinksOnce(), settings, teams: ['backend'] })
    const { root, home, model, claudeDirectory } = installation.world
    const daemon = await installation.startDaemon()
    const before = installation.world.token()
    expect(await installation.run(['tell', 'backend', 'hello'])).toMatchObject({ stdout: 'answer to message 1\n' })
    // Claude Code 2.1.197 writes late: Iris keeps a copy at the end of the next message.
    expect(await installation.run(['tell', 'backend', 'hello again'])).toMatchObject({
      stdout: 'answer to message 2\n',
    })
    const sessions = 'SELECT session_id FROM team_sessions'
    const session = installation.rows(sessions)
    const { stdout } = await installation.run(['tell', 'backend', 'think', '--async'])
    await eventually(() => model.requests.turns > 2, 'the model is asked')
    const kept = join(home, 'data/transcripts')
    await eventually(() => existsSync(kept) && readdirSync(kept).length > 0, 'the transcript is kept')
    const file = join(root, 'iris.backup')
    expect(await installation.run(['backup', file])).toMatchObject({ code: 0, stderr: '' })

    daemon.child.kill('SIGKILL')
    await daemon.ended
    for (const gone of [home, join(claudeDirectory, 'projects')]) rmSync(gone, { recursive: true })
    expect(await installation.run(['restore', file])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Messages ran or waited in it'),
    })
    expect(await installation.run(['start', '--background'])).toMatchObject({
      code: 12,
      stderr: expect.stringContaining('was restored from a backup'),
    })
    expect(await installation.run(['adopt', '--deliver'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ran since .*: think/),
    })
    expect(await installation.run(['result', stdout.trim(), '--timeout', '0'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('answer to message'),
    })
    expect(installation.rows(sessions)).toEqual(session)
    // The model still has the first message.
    expect(JSON.stringify(model.requests.recent.at(-1))).toContain('hello')
    expect(installation.world.token()).not.toBe(before)
  },
)

test('killed in the middle, a backup leaves no file and a restore no home; the next ones leave nothing else', async () => {
  await using installation = await Installation.create({ claude: 'fake', teams: ['backend'] })
  const { root, home } = installation.world
  await installation.run(['tell', 'backend', 'hello'])
  await installation.run(['stop'])
  const large = join(home, 'output_streams/large.log')
  writeFileSync(large, '')
  truncateSync(large, 200_000_000)
  const file = join(root, 'iris.backup')
  const kill = async (words: readonly string[], half: string): Promise<void> => {
    const command = installation.start(words, {
      env: { IRIS_HOME: words[0] === 'restore' ? join(root, 'second') : home },
    })
    await eventually(() => readdirSync(root).some((name) => name.startsWith(half)), 'it has begun')
    command.child.kill('SIGKILL')
    expect(await command.ended).toMatchObject({ signal: 'SIGKILL' })
  }
  await kill(['backup', file], 'iris.backup.part-')
  expect(existsSync(file)).toBe(false)
  expect(await installation.run(['backup', file])).toMatchObject({ code: 0 })
  await kill(['restore', file], 'second.restoring-')
  const inSecond = { env: { IRIS_HOME: join(root, 'second') } }
  expect(existsSync(join(root, 'second'))).toBe(false)
  expect(await installation.run(['restore', file], inSecond)).toMatchObject({ code: 0 })
  expect(readdirSync(root).filter((name) => /part|restoring/.test(name))).toEqual([])
  expect(await installation.run(['adopt'], inSecond)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('This home is adopted'),
  })
  expect(await installation.run(['tell', 'backend', 'hello'], inSecond)).toMatchObject({ code: 0 })
})

test('on a full disk a backup leaves no file, and a restore no home; of a disk that can only be read the store is named', async () => {
  await using installation = await Installation.create({ claude: 'fake', teams: ['backend'] })
  const { world } = installation
  await installation.run(['tell', 'backend', 'hello'])
  await installation.run(['stop'])
  writeFileSync(join(world.home, 'output_streams/large.log'), Buffer.alloc(3_000_000, 'x'))
  const file = join(world.root, 'iris.backup')
  await using unwritable = new CommandsBehind(readOnly(world.home), world)
  const store = join(world.home, 'data/team-sessions.db')
  expect(await unwritable.run(['backup', file])).toMatchObject({
    code: 9,
    stderr: expect.stringMatching(new RegExp(`${store}, cannot be read[^]*set IRIS_HOME to the copy`)),
  })
  expect(await unwritable.run(['uninstall', '--purge', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('its file system is read-only'),
  })
  expect(await installation.run(['backup', file])).toMatchObject({ code: 0 })
  const disk = join(world.root, 'disk')
  mkdirSync(disk)
  await using commands = new CommandsBehind(withSmallDisk(disk, 2048), world)
  const full = { code: 9, stderr: expect.stringContaining('Check that the disk has space') }
  // The second time shows that the first one left nothing: it would be refused otherwise.
  for (const _ of [1, 2]) expect(await commands.run(['backup', join(disk, 'iris.backup')])).toMatchObject(full)
  const inDisk = { env: { IRIS_HOME: join(disk, 'iris') } }
  for (const _ of [1, 2]) expect(await commands.run(['restore', file], inDisk)).toMatchObject(full)
})
