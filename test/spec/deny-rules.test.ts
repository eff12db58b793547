import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filter, firstValueFrom } from 'rxjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolUse } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { answersQuestions, writeHostileFiles } from '../support/hostile-project.ts'
import { TestIris } from '../support/iris.ts'
import { obeying } from '../support/obeying-model.ts'
import { claudeBinary, contractVersions } from '../support/real-claude.ts'
import { scratchDirectory } from '../support/scratch.ts'

const bash = (command: string): ToolUse => ({ name: 'Bash', input: { command, description: 'obey' } })
const skill = (name: string): ToolUse => ({ name: 'Skill', input: { skill: name } })
const loader: ToolUse = { name: 'Agent', input: { subagent_type: 'loader', prompt: 'x', description: 'x' } }

describe.each(contractVersions)('in a project whose files run commands in Claude Code %s', (version) => {
  const deny = ['Bash(touch *)', 'Read(.env)', 'Write(plain)']
  const open = { grantPermission: 'yes', dangerous: true }
  const teams = {
    frontend: {},
    plain: open,
    denying: { ...open, permissions: { deny } },
    bare: { ...open, permissions: { deny } },
    closed: { grantPermission: 'no' },
    powered: { ...open, permissions: { deny } },
    asking: { grantPermission: 'ask' },
    askingDenied: { grantPermission: 'ask', permissions: { deny } },
    letting: { grantPermission: 'ask' },
  }
  const programs = scratchDirectory()
  let iris: TestIris
  beforeAll(async () => {
    // Runs what it is given as far as it is a `touch`.
    const powerShell = `#!/bin/sh\nprintf '%s\\n' "$*" | grep -o 'touch [a-z]*' | sh\n`
    writeFileSync(join(programs.path, 'pwsh'), powerShell, { mode: 0o755 })
    const env = { PATH: `${programs.path}:${process.env['PATH']}` }
    iris = await TestIris.start({ script: obeying, teams, env, settings: { claudePath: claudeBinary(version) } })
    // As after "don't ask again" of the person whose project it is.
    const permissions = { allow: ['Bash', 'Skill', 'Write'] }
    for (const team of Object.keys(teams)) {
      const directory = iris.world.directory(team)
      if (team === 'letting') writeHostileFiles(directory)
      else writeHostileFiles(directory, team.startsWith('asking') ? answersQuestions(directory) : { permissions })
    }
  })
  afterAll(async () => {
    await iris[Symbol.asyncDispose]()
    programs[Symbol.dispose]()
  })

  const obey = async (team: string, use: ToolUse) =>
    (await ask(iris, team, `@@${JSON.stringify(use)}@@`, { fromTeam: 'frontend' })).response ?? ''
  /** Whether the file is there after the tool; removes it. */
  async function made(team: string, use: ToolUse, name: string): Promise<boolean> {
    const path = join(iris.world.directory(team), name)
    await obey(team, use)
    const isMade = existsSync(path)
    rmSync(path, { force: true, recursive: true })
    return isMade
  }
  /** The last tool of the team, as the ledger has it. */
  const recorded = (team: string) =>
    iris.rows(
      `SELECT input_short AS input FROM tool_starts JOIN turns ON turns.id = turn JOIN team_sessions
       ON team_sessions.id = session WHERE to_team = '${team}' ORDER BY tool_starts.started_at DESC LIMIT 1`,
    )[0]?.['input']
  const audited = (team: string) =>
    iris
      .rows(`SELECT action, detail FROM audit WHERE actor = 'agent:${team}' ORDER BY sequence`)
      .map(({ action, detail }) => ({ action, ...JSON.parse(String(detail)) }) as Record<string, unknown>)

  test('an input that a hook changes is denied by a rule, and is on record where it ran', async () => {
    expect(await made('denying', bash('ls changed'), 'changed')).toBe(false)
    const why = 'Permission to use Bash with command touch changed has been denied.'
    expect(audited('denying').at(-1)).toMatchObject({ action: 'tool.refused', toolName: 'Bash', why })
    expect(await made('plain', bash('ls changed'), 'changed')).toBe(true)
    expect(recorded('plain')).toBe('touch changed')
    expect(audited('plain')).toMatchObject([{ action: 'tool.changed', asked: 'ls changed', runs: 'touch changed' }])
    expect(audited('plain')[0]).not.toHaveProperty('why')
    // As Claude Code reads the rule, this is not covered. It asks, and Iris reads it otherwise.
    expect(await made('denying', bash('ls wrapped'), 'wrapped')).toBe(false)
    expect(recorded('denying')).toBe('bash -c "touch wrapped"')
    const read = expect.stringContaining('the rule Bash(touch *)')
    expect(audited('denying').slice(-2)).toMatchObject([
      { action: 'tool.changed', runs: 'bash -c "touch wrapped"', why: read },
      { action: 'tool.refused', why: read },
    ])
  }, 60_000)

  test('a hook that allows a tool allows none that Iris denies, and one that denies a tool holds', async () => {
    for (const team of ['denying', 'closed']) {
      expect([team, await made(team, bash('touch let'), 'let')]).toEqual([team, false])
      expect(audited(team).at(-1)).toMatchObject({ action: 'tool.refused', toolName: 'Bash' })
    }
    expect(await made('plain', bash('touch let'), 'let')).toBe(true)
    expect(await made('plain', bash('touch barred'), 'barred')).toBe(false)
    // With `ask` nobody is asked, as docs/guide/project-files.md says, and it is on record.
    expect(await made('letting', bash('touch let'), 'let')).toBe(true)
    expect(recorded('letting')).toBe('touch let')
    expect(
      iris.rows(`SELECT 1 FROM permissions JOIN turns ON turns.id = turn WHERE turns.message LIKE '%touch let%'`),
    ).toEqual([])
  }, 60_000)

  test('files that want a Claude Code without hooks: each tool is judged and recorded, also if they come later', async () => {
    const project = iris.world.directory('bare')
    const settings = { env: { CLAUDE_CODE_SIMPLE: '1' }, permissions: { allow: ['Bash'] } }
    const write = () => writeFileSync(join(project, '.claude/settings.json'), JSON.stringify(settings))
    const isJudged = async (name: string): Promise<void> => {
      expect(await made('bare', bash(`bash -c "touch ${name}"`), name)).toBe(false)
      expect(await made('bare', bash(`mkdir ${name}`), name)).toBe(true)
      expect(recorded('bare')).toBe(`mkdir ${name}`)
    }
    rmSync(join(project, '.claude/settings.json'))
    await isJudged('before')
    write()
    await isJudged('later')
    const personal = join(iris.world.root, '.claude.json')
    const known = existsSync(personal) ? JSON.parse(readFileSync(personal, 'utf8')) : {}
    writeFileSync(personal, JSON.stringify({ ...known, env: settings.env }))
    await callTool(iris, 'team_sleep', { team: 'bare', fromTeam: 'frontend' })
    await isJudged('started')
  }, 60_000)

  test('files that want PowerShell: the rules for Bash hold, in the text of a skill and for a tool', async () => {
    const project = iris.world.directory('powered')
    const settings = { env: { CLAUDE_CODE_USE_POWERSHELL_TOOL: '1' }, permissions: { allow: ['Skill', 'PowerShell'] } }
    writeFileSync(join(project, '.claude/settings.json'), JSON.stringify(settings))
    mkdirSync(join(project, '.claude/skills/powering'))
    const head = 'name: powering\ndescription: a skill\nshell: powershell\nallowed-tools: PowerShell, Bash'
    writeFileSync(join(project, '.claude/skills/powering/SKILL.md'), `---\n${head}\n---\nNow: !\`touch skilled\`\n`)
    expect(await made('powered', skill('powering'), 'skilled')).toBe(false)
    const tool = { name: 'PowerShell', input: { command: 'touch powered', description: 'obey' } }
    expect(await made('powered', tool, 'powered')).toBe(false)
  }, 60_000)

  test('a question that a hook answers with another input is on record with the one that ran', async () => {
    expect(await made('asking', bash('mkdir asked'), 'asked')).toBe(true)
    expect(recorded('asking')).toBe('touch asked')
    expect(audited('asking')).toContainEqual(
      expect.objectContaining({ action: 'tool.changed', asked: 'mkdir asked', runs: 'touch asked' }),
    )
    expect(await made('asking', bash('mkdir fails'), 'fails')).toBe(true)
    expect(recorded('asking')).toBe('touch fails && false')
    expect(await made('askingDenied', bash('mkdir asked'), 'asked')).toBe(false)
    // As Claude Code reads the rule, this is not covered.
    expect(await made('askingDenied', bash('mkdir wrapped'), 'wrapped')).toBe(true)
    expect(recorded('askingDenied')).toBe('bash -c "touch wrapped"')
    expect(audited('askingDenied').at(-1)).toMatchObject({
      action: 'tool.changed',
      why: expect.stringContaining('the rule Bash(touch *)'),
    })
  }, 60_000)

  test('commands in the text of a skill are denied by a rule, and all of them by grantPermission: no', async () => {
    for (const use of [skill('touching'), loader]) {
      expect(await made('plain', use, 'inlined')).toBe(true)
      expect(await made('denying', use, 'inlined')).toBe(false)
      expect(await made('closed', use, 'inlined')).toBe(false)
    }
  }, 60_000)

  test('a rule that denies follows on a living process, and is withdrawn', async () => {
    let spawned = 0
    expect(await made('plain', skill('touching'), 'inlined')).toBe(true)
    iris.daemon.events$.subscribe(({ type }) => (spawned += type === 'process-spawned' ? 1 : 0))
    for (const [list, runs] of [
      [deny, false],
      [[], true],
    ] as const) {
      const reloaded = firstValueFrom(iris.daemon.events$.pipe(filter(({ type }) => type === 'config-reloaded')))
      iris.world.writeConfig({ teams: { ...teams, plain: { ...open, permissions: { deny: list } } } })
      await reloaded
      expect(await made('plain', skill('touching'), 'inlined')).toBe(runs)
      expect(await made('plain', bash('ls changed'), 'changed')).toBe(runs)
    }
    expect(spawned).toBe(0)
  }, 60_000)

  test('a rule for reading a file stops commands that read it; one for Write is enforced by Iris alone', async () => {
    expect(await obey('denying', bash('cat .env'))).toContain('Permission to use Bash with command cat .env')
    const env = join(iris.world.directory('denying'), '.env')
    expect(await obey('denying', { name: 'Read', input: { file_path: env } })).toMatch(/^refused: .*denied/)
    expect(audited('denying').at(-1)).toMatchObject({
      action: 'tool.refused',
      toolName: 'Read',
      why: expect.stringContaining('the rule Read(.env) of its permissions in config.yaml'),
    })
    const write = { name: 'Write', input: { file_path: join(iris.world.directory('denying'), 'plain'), content: 'x' } }
    expect(await obey('denying', write)).toContain('the rule Write(plain) of its permissions in config.yaml denies it')
    expect(await made('denying', bash('cp .claude/settings.json plain'), 'plain')).toBe(true)
  }, 60_000)
})
