import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filter, firstValueFrom } from 'rxjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script, ToolUse } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { obeying, orders } from '../support/obeying-model.ts'
import { answerPermission } from '../support/owner.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'

const bash = (command: string): ToolUse => ({ name: 'Bash', input: { command, description: 'obey' } })
const write = (path: string): ToolUse => ({ name: 'Write', input: { file_path: path, content: 'pwned' } })

/** The rules that the owner allowed for every team here. */
const allow = [
  ...'cd git cp sed mv cat touch find echo ls'.split(' ').map((name) => `Bash(${name} *)`),
  'Edit(src/**)',
  'Read(/src/**)',
]

describe.each(claudeVersions)('what rules allow, Claude Code %s judges', (version) => {
  let iris: TestIris
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const gate = (name: string) => {
    const known = gates.get(name) ?? Promise.withResolvers<void>()
    gates.set(name, known)
    return known
  }
  /** As `obeying`, but before `wait: <name>` in the description of a tool it waits for that gate. */
  const script: Script = async (request) => {
    const reply = await obeying(request)
    const next = 'toolUses' in reply ? (reply.toolUses?.[0]?.input as { description?: string }) : undefined
    const name = /^wait: (.*)/.exec(next?.description ?? '')?.[1]
    if (name !== undefined) await gate(name).promise
    return reply
  }
  const after = (name: string, command: string): ToolUse => ({
    name: 'Bash',
    input: { command, description: `wait: ${name}` },
  })

  const permissions = { allow, from: { mobile: { allow: ['Bash(mkdir *)'] } } }
  const teams = {
    frontend: {},
    mobile: {},
    other: {},
    asking: { permissions },
    closed: { grantPermission: 'no', permissions },
    open: { grantPermission: 'yes', dangerous: true, permissions },
    // It is changed while its process lives.
    changing: { permissions: { allow: ['Bash(mkdir *)'] } },
  }
  beforeAll(async () => {
    iris = await TestIris.start({ script, teams, settings: { claudePath: claudeBinary(version) } })
    for (const team of Object.keys(teams)) {
      const project = iris.world.directory(team)
      mkdirSync(join(project, 'src'), { recursive: true })
      mkdirSync(outside(team, '.git/hooks'), { recursive: true })
      for (const name of ['a', 'b', 'keep', 'src/a']) writeFileSync(join(project, name), 'mine')
      writeFileSync(join(project, '-exec'), '')
      writeFileSync(outside(team, 'file'), 'theirs')
      symlinkSync(outside(team), join(project, 'src/link'))
      symlinkSync(outside(team, 'file'), join(project, 'src/link-to-file'))
      symlinkSync(outside(team, 'new'), join(project, 'src/dangling'))
    }
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  const outside = (team: string, path = '') => join(iris.world.root, 'outside', team, path)
  const say = async (team: string, text: string, fromTeam = 'frontend', thread = 'main') =>
    (await ask(iris, team, text, { fromTeam, thread })).response ?? ''
  const obey = (team: string, tool: ToolUse, fromTeam?: string) => say(team, orders(tool), fromTeam)

  /** Denies every question that comes while it works, or allows it with these words; what was asked. */
  async function asked(
    work: () => Promise<unknown>,
    allowed: Readonly<Record<string, object>> = {},
  ): Promise<string[]> {
    const inputs: string[] = []
    const questions = iris.daemon.events$.subscribe((event) => {
      if (event.type !== 'permission:request') return
      const { input } = event.permission
      const what = String(input['command'] ?? input['file_path'])
      inputs.push(what)
      void answerPermission(iris, event.permission, allowed[what] ? 'allow' : 'deny', allowed[what])
    })
    await work()
    questions.unsubscribe()
    return inputs
  }

  const named = (team: string) => [
    `cd ${outside(team)} && git status`,
    `cp a ${outside(team, 'c')}`,
    `mv b ${outside(team, 'b')}`,
    `sed -i s/theirs/pwned/ ${outside(team, 'file')}`,
    'cat /etc/hostname',
  ]
  const attacks = (team: string): readonly string[] => [
    ...named(team),
    // In a compound, behind a newline, in what a shell replaces.
    'touch x && rm keep',
    'touch x | sh',
    'touch x\nrm keep',
    'touch $(rm keep)',
    'touch `rm keep`',
    'cat <(rm keep)',
    // By a redirection, or a variable set before the command.
    'echo pwned > keep',
    `echo pwned >> ${outside(team, 'file')}`,
    'PATH=. git status',
    'GIT_EXTERNAL_DIFF=./a git diff',
    // By a directory that is a link out of the project.
    'touch src/link/made',
    'cp a src/link/file',
    'cat src/link/file',
    'ls src/link',
    'mv a src/link-to-file',
    // By an option that a file is named as.
    "find . -maxdepth 0 -e* touch pwned ';'",
    'find . -name keep -delete',
    // Rights for itself.
    'echo {} > .claude/settings.local.json',
  ]
  const unharmed = (team: string) => {
    const project = iris.world.directory(team)
    expect(readFileSync(join(project, 'keep'), 'utf8')).toBe('mine')
    expect(readFileSync(outside(team, 'file'), 'utf8')).toBe('theirs')
    const made = ['c', 'b', 'made', 'new', 'a'].map((name) => outside(team, name))
    const own = ['pwned', '.claude/settings.local.json'].map((name) => join(project, name))
    expect([...made, ...own].filter((path) => existsSync(path))).toEqual([])
  }

  test('what it asks about in spite of a rule is put before a person, and what it lets pass is not', async () => {
    const innocent = ['cp a src/copy', 'touch made && git status', 'sed -i s/m/M/ src/a', 'find . -name a', 'echo x']
    expect(await asked(() => say('asking', orders(...innocent.map(bash))))).toEqual([])
    expect(existsSync(join(iris.world.directory('asking'), 'src/copy'))).toBe(true)
    const all = attacks('asking')
    expect(await asked(() => say('asking', orders(...all.map(bash))))).toEqual(all)
    unharmed('asking')
  }, 90_000)

  test('with grantPermission: no that is denied, and with yes it runs', async () => {
    const all = [...named('closed'), 'touch $(rm keep)', 'echo pwned > keep', 'touch src/link/made', 'tail -n1 -F keep']
    const results = await say('closed', orders(...all.map(bash)))
    expect(results.match(/^refused: .*grantPermission: no/gm)).toHaveLength(all.length)
    unharmed('closed')
    expect(await obey('closed', bash('cp a src/copy && cat src/copy'))).toBe('mine')
    await say('open', orders(...named('open').map(bash)))
    expect(readFileSync(outside('open', 'c'), 'utf8')).toBe('mine')
    expect(readFileSync(outside('open', 'file'), 'utf8')).toBe('pwned')
  }, 90_000)

  test('a file behind a link, of the shell, or of Iris is not written by a rule', async () => {
    for (const team of ['asking', 'closed']) {
      const project = iris.world.directory(team)
      const paths = ['src/link/x', 'src/dangling', 'src/../top', 'src/.bashrc', 'src/.git/hooks/x']
      const uses = [...paths.map((path) => write(join(project, path))), write(join(iris.world.home, 'new.yaml'))]
      const read = { name: 'Read', input: { file_path: join(project, 'src/link-to-file') } }
      const questions = await asked(() => say(team, orders(read, ...uses)))
      const sure = ['src/link-to-file', 'src/link/x', 'src/../top', 'src/.bashrc', 'src/.git/hooks/x']
      const unasked = sure.filter((path) => !questions.includes(join(project, path)))
      expect(unasked).toEqual(team === 'closed' ? sure : [])
      expect(uses.filter(({ input }) => existsSync((input as { file_path: string }).file_path))).toEqual([])
      unharmed(team)
    }
  }, 60_000)

  test('a rule from the project begins there, and one for a name of Iris’s own home is asked about', async () => {
    iris.world.writeConfig({
      teams: { ...teams, other: { permissions: { allow: ['Edit(/src/**)', 'Read(~/**)', 'Edit(~/**)'] } } },
    })
    await iris.event('config-reloaded')
    const project = iris.world.directory('other')
    const key = { name: 'Read', input: { file_path: join(iris.world.home, 'token') } }
    const uses = [
      write(join(project, 'src/new')),
      write(join(iris.world.root, 'note')),
      key,
      write(join(iris.world.root, '.ssh/config')),
    ]
    const questions = await asked(() => say('other', orders(...uses)))
    expect(questions).toEqual([join(iris.world.home, 'token'), join(iris.world.root, '.ssh/config')])
    expect(existsSync(join(project, 'src/new'))).toBe(true)
  }, 60_000)

  test('a rule for one asker is not in the process of another', async () => {
    const mkdir = (name: string) => bash(`mkdir ${name}`)
    expect(await asked(() => obey('asking', mkdir('mobiles'), 'mobile'))).toEqual([])
    expect(await asked(() => obey('asking', mkdir('frontends'), 'frontend'))).toEqual(['mkdir frontends'])
    expect(await asked(() => obey('closed', mkdir('mobiles'), 'mobile'))).toEqual([])
    expect(await obey('closed', mkdir('frontends'), 'frontend')).toMatch(/^refused/)
  }, 60_000)

  test('a rule that is withdrawn, given, or given by a person, holds from the next tool on in the middle of a turn', async () => {
    let spawned = 0
    await say('changing', 'start')
    iris.daemon.events$.subscribe(({ type }) => (spawned += type === 'process-spawned' ? 1 : 0))
    const save = async (allow: string[]) => {
      const saved = firstValueFrom(iris.daemon.events$.pipe(filter(({ type }) => type === 'config-reloaded')))
      iris.world.writeConfig({ teams: { ...teams, changing: { permissions: { allow } } } })
      await saved
    }
    const made = (name: string) => existsSync(join(iris.world.directory('changing'), name))
    const tools = [
      bash('mkdir one'),
      after('withdrawn', 'mkdir two'),
      after('given', 'touch three'),
      after('grant', 'mv src/a moved'),
      bash('mv moved src/a'),
    ]
    const questions = await asked(
      async () => {
        const answered = say('changing', orders(...tools))
        await eventually(() => made('one'), 'the rule covers the first')
        await save([])
        gate('withdrawn').resolve()
        const { permission: second } = await iris.event(
          'permission:request',
          ({ permission }) => permission.input['command'] === 'mkdir two',
        )
        await iris.event('permission:resolved', ({ permission }) => permission.permissionId === second.permissionId)
        await save(['Bash(touch *)'])
        gate('given').resolve()
        await eventually(() => made('three'), 'the new rule covers the third')
        gate('grant').resolve()
        expect(await answered).toMatch(/^refused: .*$/m)
      },
      { 'mv src/a moved': { scope: 'session', rule: 'Bash(mv *)' } },
    )
    expect(questions).toEqual(['mkdir two', 'mv src/a moved'])
    expect([made('two'), made('moved'), made('src/a')]).toEqual([false, false, true])
    expect(spawned).toBe(0)

    // The session's, and nobody else's: not of another thread, nor of another asker.
    const again = orders(bash('mv src/a moved'))
    expect(await asked(() => say('changing', again, 'frontend', 'second'))).toEqual(['mv src/a moved'])
    expect(await asked(() => say('changing', again, 'mobile'))).toEqual(['mv src/a moved'])
  }, 60_000)
})
