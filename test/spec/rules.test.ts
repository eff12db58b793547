import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script, ToolUse } from '../../src/app/demo/script.ts'
import { addRule } from '../../src/platform/config/add-rule.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

/** Uses the tool that the message is and answers with its result, marked when it is an error. */
const uses: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const result = toolResults[0]
  if (result === undefined) return { toolUses: [JSON.parse(spoken(lastUserText)) as ToolUse] }
  return { text: `${result.isError ? 'refused: ' : ''}${result.text}` }
}

const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'x' } })

describe.each(contractVersions)('before every tool of Claude Code %s rules are asked', (version) => {
  const teams = {
    frontend: {},
    mobile: {},
    closed: {
      grantPermission: 'no',
      permissions: {
        allow: ['Bash(touch *)', 'Edit(src/**)'],
        from: { mobile: { allow: ['Bash(mkdir *)'] }, frontend: { deny: ['Bash(touch secret*)'] } },
      },
    },
    open: { grantPermission: 'yes', dangerous: true, permissions: { deny: ['Bash(rm *)', 'Write(new.txt)'] } },
  }
  let iris: TestIris
  beforeAll(async () => {
    iris = await TestIris.start({ script: uses, teams, settings: { claudePath: claudeBinary(version) } })
    const { world } = iris
    mkdirSync(world.claudeDirectory, { recursive: true })
    const own = { allow: ['Bash', 'Edit', 'Write', 'Read', 'WebFetch'], defaultMode: 'acceptEdits' }
    writeFileSync(join(world.claudeDirectory, 'settings.json'), JSON.stringify({ permissions: own }))
    mkdirSync(join(world.directory('closed'), 'src'))
    mkdirSync(join(world.root, 'outside'))
    symlinkSync(join(world.root, 'outside'), join(world.directory('closed'), 'src/link'))
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  const at = (team: string, path: string) => join(iris.world.directory(team), path)
  const use = async (team: string, tool: ToolUse, fromTeam = 'frontend') =>
    (await ask(iris, team, JSON.stringify(tool), { fromTeam })).response ?? ''
  const write = (path: string) => ({ name: 'Write', input: { file_path: path, content: 'x' } })

  test('a command runs that a rule covers, and none that only looks as if it did', async () => {
    await use('closed', bash('touch covered'))
    expect(existsSync(at('closed', 'covered'))).toBe(true)
    for (const command of [
      'touch x; rm -rf covered',
      'touch $(rm covered)',
      'touch x\nrm covered',
      'touch x > covered',
    ]) {
      expect(await use('closed', bash(command))).toMatch(/^refused: .*grantPermission: no.* no rule covers this/)
    }
    expect([existsSync(at('closed', 'covered')), existsSync(at('closed', 'x'))]).toEqual([true, false])
  })

  test('a person’s own rules and mode do not reach past grantPermission: no, and what only reads goes on', async () => {
    expect(await use('closed', bash('echo made > made'))).toContain('grantPermission: no')
    expect(await use('closed', write(at('closed', 'made')))).toContain('grantPermission: no')
    expect(await use('closed', { name: 'Read', input: { file_path: '/etc/hostname' } })).toContain(
      'grantPermission: no',
    )
    expect(existsSync(at('closed', 'made'))).toBe(false)
    expect(await use('closed', bash('ls'))).toContain('src')
  })

  test('a rule that denies holds for a team that may do everything, and stands in the audit', async () => {
    await use('open', bash('touch kept.txt'))
    for (const command of ['rm kept.txt', 'true && rm kept.txt', `sh -c 'rm kept.txt'`, 'env X=1 /bin/rm kept.txt']) {
      expect(await use('open', bash(command))).toContain(
        'the rule Bash(rm *) of its permissions in config.yaml denies it',
      )
    }
    expect(await use('open', write(at('open', 'new.txt')))).toContain('Write(new.txt)')
    expect(existsSync(at('open', 'kept.txt'))).toBe(true)
    const refused = iris.rows(
      `SELECT actor, decision FROM audit WHERE action = 'tool.refused' AND actor = 'agent:open'`,
    )
    expect(refused).toEqual(Array(5).fill({ actor: 'agent:open', decision: 'deny' }))
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('a rule for one asker does not hold for another, and the one that denies wins', {
    tags: ['thorough'],
  }, async () => {
    const made = () => existsSync(at('closed', 'made-for-mobile'))
    expect(await use('closed', bash('mkdir made-for-mobile'), 'frontend')).toMatch(/^refused/)
    expect(made()).toBe(false)
    await use('closed', bash('mkdir made-for-mobile'), 'mobile')
    expect(made()).toBe(true)
    expect(await use('closed', bash('touch secret'), 'frontend')).toContain('Bash(touch secret*)')
    await use('closed', bash('touch secret'), 'mobile')
    expect(existsSync(at('closed', 'secret'))).toBe(true)
  })

  test('a file is written where a rule for paths says, and not behind a link that leads out', async () => {
    await use('closed', write(at('closed', 'src/new/file.txt')))
    expect(existsSync(at('closed', 'src/new/file.txt'))).toBe(true)
    expect(await use('closed', write(at('closed', 'src/link/file.txt')))).toMatch(/^refused/)
    expect(await use('closed', write(at('closed', 'src/../top.txt')))).toMatch(/^refused/)
    expect(existsSync(join(iris.world.root, 'outside/file.txt'))).toBe(false)
  })

  test('a rule that is added holds at once, in the process that runs', async () => {
    let spawned = 0
    await use('open', bash('touch kept.txt && mv kept.txt moved.txt'))
    iris.daemon.events$.subscribe(({ type }) => (spawned += type === 'process-spawned' ? 1 : 0))
    expect(existsSync(at('open', 'moved.txt'))).toBe(true)
    const reloaded = iris.event('config-reloaded')
    await addRule({ file: join(iris.world.home, 'config.yaml'), team: 'open', list: 'deny', rule: 'Bash(mv *)' })
    await reloaded
    expect(await use('open', bash('mv moved.txt kept.txt'))).toContain('Bash(mv *)')
    expect(existsSync(at('open', 'moved.txt'))).toBe(true)
    expect(spawned).toBe(0)
  })
})
