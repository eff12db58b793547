import { lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { obeying, orders } from '../support/obeying-model.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'

const fromTeam = 'frontend'

/** Each file and directory below, with its rights when someone else has any. */
function openToOthers(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const modes = ['.', ...entries].map((name) => [name, lstatSync(join(directory, name))] as const)
  const open = modes.filter(([, facts]) => !facts.isSymbolicLink() && (facts.mode & 0o077) !== 0)
  return Object.fromEntries(open.map(([name, { mode }]) => [name, (mode & 0o777).toString(8)]))
}

/** Long enough that its lines do not stay in memory. */
const script: Script = (asked) => {
  const { lastUserText } = asked.conversation
  return lastUserText.includes('much') ? { text: 'x'.repeat(3_000_000) } : obeying(asked)
}

test.each(claudeVersions)(
  'all that Iris writes in its home is for its owner alone, what Claude Code %s makes is as the user has it',
  async (version) => {
    const before = process.umask(0o022)
    onTestFinished(() => void process.umask(before))
    const teams = { frontend: {}, backend: { grantPermission: 'yes', dangerous: true, isolation: 'none' } }
    await using iris = await TestIris.start({ script, teams, settings: { claudePath: claudeBinary(version) } })
    const { home } = iris.world
    const project = iris.world.directory('backend')
    await ask(iris, 'backend', 'say much', { fromTeam })
    const made = [
      { name: 'Write', input: { file_path: join(project, 'written'), content: 'x' } },
      { name: 'Bash', input: { command: 'mkdir made; touch made/file; umask', description: 'make a file' } },
    ]
    expect(await ask(iris, 'backend', orders(...made), { fromTeam })).toMatchObject({
      status: 'completed',
      response: expect.stringMatching(/\n0?022$/),
    })
    await callTool(iris, 'notify', { toTeam: 'backend', fromTeam, message: 'word' })
    await callTool(iris, 'session_fork', { toTeam: 'backend', fromTeam, newThread: 'copy' })
    await eventually(() => readdirSync(join(home, 'data/transcripts')).length > 0, 'a transcript is kept')
    const modes = Object.fromEntries(
      ['written', 'made', 'made/file'].map((name) => [name, (lstatSync(join(project, name)).mode & 0o777).toString(8)]),
    )
    expect(modes).toEqual({ written: '644', made: '755', 'made/file': '644' })
    expect(openToOthers(home)).toEqual({})

    await iris.daemon.stop(0)
    writeFileSync(join(home, 'data/team-sessions.db'), 'no database at all, '.repeat(1000), { mode: 0o644 })
    await iris.restart()
    await ask(iris, 'backend', 'go on', { fromTeam })
    expect(readdirSync(join(home, 'data')).filter((name) => name.includes('.corrupt-'))).not.toEqual([])
    expect(openToOthers(home)).toEqual({})
  },
)
