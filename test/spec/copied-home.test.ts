import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { eventually } from '../support/eventually.ts'
import { type Ending, Installation } from '../support/program.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

/** What is to be thought about first never ends, in whichever home. */
const thinks: Script = ({ conversation: { lastUserText, userTexts } }) =>
  spoken(lastUserText) === 'think'
    ? { stream: heldText('It depends', new Promise(() => {}), '') }
    : { text: `${spoken(lastUserText)}, message ${userTexts.length}` }

function copied(installation: Installation, name: string) {
  const { root, home } = installation.world
  const copy = join(root, name)
  cpSync(home, copy, { recursive: true, preserveTimestamps: true })
  return {
    run: (...words: string[]): Promise<Ending> => installation.run(words, { env: { IRIS_HOME: copy } }),
    rows: (sql: string) => rowsIn(copy, sql),
    token: () => readFileSync(join(copy, 'token'), 'utf8'),
    path: copy,
  }
}

/** As `cp -al` does it. */
function linkAll(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkAll(source, target)
    else if (entry.isFile()) linkSync(source, target)
  }
}

function rowsIn(home: string, sql: string): Record<string, unknown>[] {
  using database = new DatabaseSync(join(home, 'data/team-sessions.db'), { readOnly: true })
  return database.prepare(sql).all()
}

test('the commands of a copied home never reach the daemon of the original, nor what it has installed', async () => {
  await using installation = await Installation.create({ claude: 'fake' })
  const daemon = await installation.startDaemon()
  const copy = join(installation.world.root, 'copy')
  const [claude, entry] = [
    join(installation.world.root, '.claude.json'),
    { type: 'stdio', command: 'iris', args: ['mcp'], env: {} },
  ]
  const registration = { file: claude, scope: 'user', entry, hadServers: true, hadFile: true }
  writeFileSync(claude, JSON.stringify({ mcpServers: { iris: entry } }))
  writeFileSync(join(installation.world.home, 'installed.json'), JSON.stringify({ registrations: [registration] }))
  cpSync(installation.world.home, copy, { recursive: true, preserveTimestamps: true })
  const inCopy = { env: { IRIS_HOME: copy } }
  const pid = String(daemon.child.pid)
  expect((await installation.run(['status', '--json'], inCopy)).stdout).not.toContain(pid)
  await installation.run(['stop'], inCopy)
  const undone = await installation.run(['uninstall', '--yes', '--dry-run'], inCopy)
  expect(undone).toMatchObject({ code: 0, stdout: expect.not.stringContaining('remove iris from') })
  const own = await installation.run(['uninstall', '--yes', '--dry-run'])
  expect(own.stdout).toContain('Would remove iris')
  expect((await installation.run(['status', '--json'])).stdout).toContain(pid)
})

test('the commands of a home copied by hard links say so at once, and neither reach nor change the original', async () => {
  await using installation = await Installation.create({ claude: 'fake', script: thinks, teams: ['backend'] })
  const { root, home } = installation.world
  await installation.startDaemon()
  await installation.run(['tell', 'backend', 'hello'])
  const copy = join(root, 'copy')
  linkAll(home, copy)
  const inCopy = { env: { IRIS_HOME: copy } }
  const refused = { code: 12, stderr: expect.stringContaining(`is a copy of ${home} by hard links`) }
  expect(await installation.run(['tell', 'backend', 'hello'], inCopy)).toMatchObject(refused)
  expect(await installation.run(['stop'], inCopy)).toMatchObject({ code: 0, stdout: 'Iris is not running.\n' })
  expect(await installation.run(['tell', 'backend', 'again'])).toMatchObject({ code: 0, stdout: 'again, message 2\n' })
})

test.each(claudeVersions)(
  '%s: a copied home delivers nothing before it is adopted, then what it was told to, in conversations of its own',
  async (version) => {
    const settings = { claudePath: claudeBinary(version) }
    await using installation = await Installation.create({ script: thinks, settings, teams: ['backend'] })
    const { model, home } = installation.world
    await installation.startDaemon()
    await installation.run(['tell', 'backend', 'hello'])
    for (const message of ['think', 'later']) await installation.run(['tell', 'backend', message, '--async'])
    await eventually(() => model.requests.turns > 1, 'the model is asked')
    const cancelling = copied(installation, 'cancelling')
    const delivering = copied(installation, 'delivering')

    for (const words of [['status'], []]) {
      expect(await cancelling.run(...words)).toMatchObject({ code: 0, stdout: expect.stringContaining('iris adopt') })
    }
    const refused = await cancelling.run('tell', 'backend', 'hello')
    expect(refused).toMatchObject({ code: 12, stderr: expect.stringContaining(`is a copy of ${home}`) })
    const shown = await cancelling.run('adopt')
    expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing was changed') })
    expect(shown.stdout).toMatch(/you→backend {2}ran since .*: think\n.*you→backend {2}waited since .*: later\n/)
    expect(model.requests.turns).toBe(2)

    expect(await cancelling.run('adopt', '--cancel')).toMatchObject({ code: 0 })
    expect(await cancelling.run('tell', 'backend', 'hello')).toMatchObject({ code: 0, stdout: 'hello, message 1\n' })
    const outcomes = 'SELECT message, outcome FROM turns ORDER BY sequence'
    expect(cancelling.rows(outcomes).map(({ outcome }) => outcome)).toEqual([
      'completed',
      'cancelled',
      'cancelled',
      'completed',
    ])
    expect(cancelling.token()).not.toBe(installation.world.token())
    await cancelling.run('stop')

    expect(await delivering.run('adopt', '--deliver')).toMatchObject({ code: 0 })
    // The one that ran would run forever here too.
    const [first] = delivering.rows(`SELECT id FROM turns WHERE message = 'think'`)
    const [later] = delivering.rows(`SELECT id FROM turns WHERE message = 'later'`)
    await delivering.run('start', '--background')
    await eventually(() => model.requests.turns > 3, 'it runs here')
    await delivering.run('cancel', String(first?.['id']))
    const answered = await delivering.run('result', String(later?.['id']), '--timeout', '0')
    expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('later, message') })
    await delivering.run('stop')
    expect(delivering.rows(`SELECT session_id FROM team_sessions WHERE status <> 'archived'`)).not.toEqual(
      installation.rows(`SELECT session_id FROM team_sessions`),
    )
    expect(installation.rows(outcomes).map(({ outcome }) => outcome)).toEqual(['completed', null, null])
  },
)

test('a copy that was started while the original was away stops once that one is back, and asks from then on', async () => {
  await using installation = await Installation.create({ claude: 'fake', script: thinks, teams: ['backend'] })
  const { root, home } = installation.world
  const daemon = await installation.startDaemon()
  await installation.run(['tell', 'backend', 'hello'])
  daemon.child.kill('SIGTERM')
  await daemon.ended
  const copy = copied(installation, 'copy')
  renameSync(home, join(root, 'away'))
  expect(await copy.run('tell', 'backend', 'in the copy')).toMatchObject({ code: 0 })
  renameSync(join(root, 'away'), home)
  await eventually(() => !existsSync(join(copy.path, 'daemon.json')), 'the copy to stop')
  expect(readFileSync(join(copy.path, 'logs/daemon.log'), 'utf8')).toContain(
    `Iris stops: ${copy.path} is a copy of ${home}`,
  )
  expect(await copy.run('tell', 'backend', 'too late')).toMatchObject({ code: 12 })
  // The copy had gone on with the conversation.
  expect(await installation.run(['tell', 'backend', 'again'])).toMatchObject({ code: 0, stdout: 'again, message 3\n' })
  expect(await copy.run('adopt')).toMatchObject({ code: 0 })
  expect(await copy.run('tell', 'backend', 'hello')).toMatchObject({ code: 0, stdout: 'hello, message 1\n' })
  await copy.run('stop')
}, 120_000)

test('a home that was moved goes on with what it had accepted, and asks nothing', async () => {
  await using installation = await Installation.create({ claude: 'fake', script: thinks, teams: ['backend'] })
  const { root, home } = installation.world
  const daemon = await installation.startDaemon()
  for (const message of ['think', 'later']) await installation.run(['tell', 'backend', message, '--async'])
  daemon.child.kill('SIGKILL')
  await daemon.ended
  const moved = join(root, 'moved')
  renameSync(home, moved)
  const inMoved = { env: { IRIS_HOME: moved } }
  expect(await installation.run(['adopt'], inMoved)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('There is nothing to decide'),
  })
  const [first, later] = rowsIn(moved, 'SELECT id FROM turns ORDER BY sequence').map(({ id }) => String(id))
  await installation.run(['cancel', first!], inMoved)
  expect(await installation.run(['result', later!, '--timeout', '0'], inMoved)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('later'),
  })
})
