import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { asOwner } from '../support/owner.ts'
import { type RemoteWorld, startRemoteWorld } from '../support/remote-world.ts'
import { spoken } from '../support/world.ts'

/** `<tool> <input as JSON>` uses it; all else is repeated. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const said = spoken(lastUserText)
  if (step > 0) return { text: `It said: ${toolResults.at(-1)?.text ?? ''}` }
  const [, name, input] = /^(\w+) (\{.*\})$/s.exec(said) ?? []
  return name === undefined
    ? { text: `You said: ${said}` }
    : { toolUses: [{ name, input: JSON.parse(input!) as object }] }
}

const use = async (world: RemoteWorld, name: string, input: object): Promise<string> =>
  (await ask(world.iris, 'backend', `${name} ${JSON.stringify(input)}`, { fromTeam: 'frontend' })).response ?? ''

describe('rules for paths on another machine', () => {
  let world: RemoteWorld
  let project: string
  beforeAll(async () => {
    const permissions = { deny: ['Read(secrets/**)', 'Edit(~/.ssh/**)'] }
    world = await startRemoteWorld({ script }, { grantPermission: 'yes', dangerous: true, permissions })
    project = world.host.directory('backend')
    mkdirSync(join(project, 'secrets'))
    mkdirSync(join(world.host.home, '.ssh'))
    writeFileSync(join(project, 'secrets/key'), 'the secret')
    writeFileSync(join(project, 'plain'), 'plain text')
    symlinkSync('secrets', join(project, 'innocent'))
    symlinkSync('secrets/key', join(project, 'note.txt'))
    symlinkSync(join(project, 'innocent/key'), join(project, 'twice'))
    symlinkSync(join(world.host.home, '.ssh/config'), join(project, 'settings'))
    symlinkSync('loop', join(project, 'loop'))
  })
  afterAll(() => world[Symbol.asyncDispose]())

  // The rule by its own path, Claude Code refuses before it asks Iris.
  test('a rule that denies holds against the file itself, and is in the audit', async () => {
    const said = await use(world, 'Read', { file_path: join(project, 'secrets/key') })
    expect(said).toContain('denied by your permission settings')
    const { entries } = await asOwner(world.iris, 'list_audit', { team: 'backend', limit: 1 })
    expect(JSON.stringify(entries)).toContain('Read(secrets/**) of its permissions in config.yaml denies it')
  })

  test.each([
    ['a link to its directory', 'Read', 'innocent/key'],
    ['a link to it', 'Read', 'note.txt'],
    ['a link to a link', 'Read', 'twice'],
  ])('a rule that denies holds against %s', async (_what, tool, name) => {
    const said = await use(world, tool, { file_path: join(project, name) })
    expect(said).toContain('Read(secrets/**) of its permissions in config.yaml denies it')
    expect(said).not.toContain('the secret')
  })

  test('a rule that denies holds against a link to what is not there yet', async () => {
    const said = await use(world, 'Write', { file_path: join(project, 'settings'), content: 'Host *' })
    expect(said).toContain('Edit(~/.ssh/**) of its permissions in config.yaml denies it')
    expect(existsSync(join(world.host.home, '.ssh/config'))).toBe(false)
  })

  test('what a tool leaves there without its environment and its parents ends with the agent', async () => {
    const left = join(project, 'left')
    await use(world, 'Bash', { command: `env -i setsid sh -c 'echo $$ >${left}; exec sleep 1000' >/dev/null 2>&1 &` })
    await eventually(() => existsSync(left) && readFileSync(left, 'utf8') !== '', 'it runs')
    const pid = Number(readFileSync(left, 'utf8'))
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    await callTool(world.iris, 'team_sleep', { team: 'backend', fromTeam: 'frontend' })
    await eventually(() => !existsSync(`/proc/${pid}`), 'it ends')
  })

  test('what leads nowhere that can be said is refused, and what no rule denies is read', async () => {
    expect(await use(world, 'Read', { file_path: join(project, 'loop') })).toContain('Iris cannot see where')
    expect(await use(world, 'Read', { file_path: join(project, 'plain') })).toContain('plain text')
  })
})

describe('with grantPermission: no, on another machine', () => {
  let world: RemoteWorld
  let project: string
  beforeAll(async () => {
    world = await startRemoteWorld({ script }, { grantPermission: 'no' })
    project = world.host.directory('backend')
    writeFileSync(join(project, 'plain'), 'plain text')
    writeFileSync(join(world.host.root, 'outside'), 'the secret')
    symlinkSync(join(world.host.root, 'outside'), join(project, 'way-out'))
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('tools for files read inside the project, and follow no link out of it', async () => {
    expect(await use(world, 'Read', { file_path: join(project, 'plain') })).toContain('plain text')
    expect(await use(world, 'Bash', { command: 'cat plain' })).toContain('plain text')
    const out = await use(world, 'Read', { file_path: join(project, 'way-out') })
    expect(out).toContain('grantPermission: no')
    expect(out).not.toContain('the secret')
    expect(await use(world, 'Bash', { command: 'cat way-out' })).not.toContain('the secret')
    expect(await use(world, 'Bash', { command: 'touch made' })).toContain('grantPermission: no')
    expect(existsSync(join(project, 'made'))).toBe(false)
  })

  test('get_agent has what is not committed there, and nothing that the repository names runs for it', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: project })
    git('init', '-q')
    git('add', 'plain')
    git('commit', '-qm', 'one')
    git('config', 'filter.evil.clean', `touch ${join(project, 'ran')}; cat`)
    git('config', 'core.fsmonitor', `touch ${join(project, 'ran')}; true`)
    git('config', 'diff.external', `touch ${join(project, 'ran')}; true`)
    writeFileSync(join(project, '.gitattributes'), '* filter=evil\n')
    writeFileSync(join(project, 'plain'), 'changed text')
    const made = await asOwner(world.iris, 'get_agent', {
      agentType: 'code-reviewer',
      team: 'backend',
      includeGitDiff: true,
    })
    expect(JSON.stringify(made)).toContain('+changed text')
    expect(existsSync(join(project, 'ran'))).toBe(false)
    expect(readFileSync(join(project, 'plain'), 'utf8')).toBe('changed text')
  })
})
