import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { systemClock } from '../../base/lib/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { openDatabase } from '../../platform/store/database.ts'
import { isHarmless } from './harmless.ts'
import { Policy } from './policy.ts'
import { remember } from './remember.ts'
import { PermissionGrants } from './rows/permission-grants.ts'

const bash = (command: string) => ({ toolName: 'Bash', input: { command } })
const session = (from: string, id = 1) => ({ from, to: 'a', thread: 'main', row: { id } })

describe('the policy', () => {
  test.each([
    ['yes', 'ls', 'allow'],
    ['yes', 'rm x', 'deny'],
    ['no', 'ls', 'deny'],
    // Claude Code has the rule that covers it, and asks anyway.
    ['no', 'npm test', 'deny'],
    ['ask', 'ls', 'ask'],
    ['ask', 'npm test', 'ask'],
    ['ask', 'git log', 'ask'],
    ['ask', 'npm test; rm x', 'deny'],
    ['forward', 'npm test', 'forward'],
    ['forward', 'npm run rm', 'deny'],
  ])('of grantPermission: %s says of %s, when Claude Code asks: %s', async (mode, command, decision) => {
    await using world = await configured(`
    grantPermission: ${mode}
    forwardTo: { url: 'https://example.com/', secret: '${'s'.repeat(32)}' }
    dangerous: true
    allowedTools: Bash(git log *), something-else(
    permissions: { allow: [Bash(npm *)], deny: [Bash(rm *), Bash(npm run rm)] }`)
    expect(world.policy.evaluate(session('b'), bash(command))).toMatchObject({ decision })
  })

  test('goes by what the role is now, also within a turn that began with another', async () => {
    await using world = await configured('\n    grantPermission: yes\n    dangerous: true')
    const { roles } = world.config()
    let role = { ...roles.get('os_agent')!, name: 'helper' }
    const config = () => ({ ...world.config(), roles: new Map([...roles, ['helper', role]]) })
    const policy = new Policy({ config, grants: world.grants, home: world.home })
    const asking = { ...session('telegram:42'), thread: 'role:helper' }
    expect(policy.evaluate(asking, bash('ls')).decision).toBe('allow')
    role = { ...role, permission: 'ask' }
    expect(policy.evaluate(asking, bash('ls')).decision).toBe('ask')
    role = { ...role, permission: 'no' }
    expect(policy.evaluate(asking, bash('ls -R | tee x'))).toEqual({
      decision: 'deny',
      why: 'Team "a" may not use Bash: the role "helper" does not allow tools that need a permission (permission: no), and no rule covers this.',
    })
    role = { ...role, tools: ['Read'] }
    expect(policy.evaluate(asking, bash('ls')).decision).toBe('deny')
  })

  test('has a rule for one asker hold for him alone', async () => {
    await using world = await configured(`
    permissions: { allow: [Bash(x)], from: { b: { allow: [Bash(y)], deny: [Bash(x)] }, external: { allow: [Bash(z)] } } }`)
    const { policy } = world
    expect(policy.listsFor(session('b')).allow).toEqual(['Bash(x)', 'Bash(y)'])
    expect(policy.listsFor(session('external')).allow).toEqual(['Bash(x)', 'Bash(z)'])
    expect(policy.listsFor(session('constructor')).allow).toEqual(['Bash(x)'])
    expect(policy.evaluate(session('b'), bash('x')).decision).toBe('deny')
    expect(policy.evaluate(session('external'), bash('x')).decision).toBe('ask')
  })

  test('hands over rules as Claude Code reads them, and what it is to ask about in spite of them', async () => {
    await using world = await configured(`
    permissions: { allow: [Edit(/src/**), Edit(docs/**), Read(//etc/hosts), Bash(cat /x), 'Edit(/a\\(b\\))'] }
    allowedTools: Bash(git log *)`)
    const { home, project } = world
    expect(world.policy.listsFor(session('b'))).toEqual({
      allow: [
        `Edit(/${project}/src/**)`,
        'Edit(docs/**)',
        'Read(//etc/hosts)',
        'Bash(cat /x)',
        `Edit(/${project}/a\\(b\\))`,
      ],
      ask: [`Edit(/${home}/**)`, `Read(/${home}/**)`, 'Edit(~/.ssh/**)'],
      deny: [],
      skillCommands: true,
    })
    await using bare = await configured('')
    expect(bare.policy.listsFor(session('b'))).toEqual({ allow: [], ask: [], deny: [], skillCommands: true })
  })

  test('hands over what is denied, to narrowed roles too, but no rule that Claude Code does not know', async () => {
    await using world = await configured(`
    permissions:
      allow: [Bash(x)]
      deny: [Bash(rm *), Read(.env), Edit(/src/**), Write(/docs/**), Grep(src), Edit, WebFetch(domain:a.example)]
      from: { b: { deny: [Agent(x), mcp__git] } }`)
    const { policy, project } = world
    const lasting = { scope: 'pair', decision: 'deny', rule: 'Bash(y z)', permissionId: 'p' } as const
    await remember(session('b'), lasting, world)
    const denied = [
      'Bash(rm *)',
      'Read(.env)',
      `Edit(/${project}/src/**)`,
      'Edit',
      'MultiEdit',
      'Write',
      'NotebookEdit',
      'WebFetch(domain:a.example)',
      'Agent(x)',
      'mcp__git',
      'Bash(y z)',
    ]
    expect(policy.listsFor(session('b')).deny).toEqual(denied)
    const narrowed = { ...session('b'), thread: 'role:chat_bot' }
    expect(policy.listsFor(narrowed)).toEqual({ allow: [], ask: [], deny: denied, skillCommands: false })
  })

  test.each([
    ['grantPermission: no', 'main', false],
    ['grantPermission: ask', 'main', true],
    ['grantPermission: ask', 'role:os_agent', true],
    ['grantPermission: ask', 'role:chat_bot', false],
  ])('with %s in the thread %s, skills may run their commands: %s', async (mode, thread, may) => {
    await using world = await configured(`\n    ${mode}`)
    expect(world.policy.listsFor({ ...session('b'), thread }).skillCommands).toBe(may)
  })

  test('keeps an answer for its session, for its pair, or in config.yaml', async () => {
    await using world = await configured('')
    const answer = (scope: 'session' | 'pair' | 'always', decision: 'allow' | 'deny', rule: string) =>
      remember(session('b'), { scope, decision, rule, permissionId: 'p' }, world)
    await answer('session', 'allow', 'Bash(x)')
    await answer('pair', 'allow', 'Bash(y *)')
    await answer('pair', 'deny', 'Bash(y z)')
    await answer('always', 'allow', 'Bash(w)')
    const allowed = (from: string, id?: number) => world.policy.listsFor(session(from, id)).allow
    expect(allowed('b')).toEqual(['Bash(x)', 'Bash(y *)'])
    await world.reload()
    expect(allowed('b')).toEqual(['Bash(w)', 'Bash(x)', 'Bash(y *)'])
    expect(allowed('b', 2)).toEqual(['Bash(w)', 'Bash(y *)'])
    expect(allowed('external')).toEqual(['Bash(w)'])
    expect(world.policy.evaluate(session('b'), bash('y z')).why).toContain('Bash(y z) of an earlier answer')
  })

  test('keeps no rule that is none, and says which there are', async () => {
    await using world = await configured('')
    const answer = { scope: 'pair', decision: 'allow', rule: 'bash(x)', permissionId: 'p' } as const
    await expect(remember(session('b'), answer, world)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'The rule bash(x) does not begin with the name of a tool, such as Bash.',
      remedy: expect.stringContaining('Bash(git status *)'),
    })
  })

  test('keeps no rule to allow that Claude Code does not know', async () => {
    await using world = await configured('')
    const answer = { scope: 'pair', rule: 'Write(src/**)', permissionId: 'p' } as const
    await expect(remember(session('b'), { ...answer, decision: 'allow' }, world)).rejects.toMatchObject({
      message: expect.stringContaining('Claude Code reads paths in rules for Edit, which cover Write too'),
    })
    await remember(session('b'), { ...answer, decision: 'deny' }, world)
  })

  test('refuses before a tool what the mode denies, but not what a rule covers or what is harmless', async () => {
    await using world = await configured(`
    grantPermission: no
    permissions: { allow: [Bash(npm *)], deny: [Bash(cat *)] }
    allowedTools: Bash(git log *), something-else(`)
    for (const covered of ['npm test', 'git log', 'npm test && git log -p']) {
      expect(world.policy.refusal(session('b'), bash(covered))).toBeUndefined()
    }
    expect(world.policy.refusal(session('b'), bash('npm test > x'))).toContain('grantPermission: no')
    expect(world.policy.refusal(session('b'), bash('ls'))).toBeUndefined()
    expect(world.policy.refusal(session('b'), bash('touch x'))).toContain('grantPermission: no')
    expect(world.policy.refusal(session('b'), bash('cat x'))).toContain('Bash(cat *)')
    const gone = { ...session('b'), to: 'gone' }
    expect(world.policy.refusal(gone, bash('touch x'))).toContain('grantPermission: no')
    // A settings file may want a question about what a rule covers, or what is harmless.
    const verdictOf = (command: string) => world.policy.evaluate(session('b'), bash(command))
    for (const asked of ['npm test', 'ls'])
      expect(verdictOf(asked)).toMatchObject({ decision: 'deny', why: expect.stringContaining('asks a person') })
    expect(verdictOf('touch x').why).toContain('no rule covers this')
  })
})

test('no rule is offered that would not keep Claude Code from asking', async () => {
  await using world = await configured('\n    permissions: { allow: [Bash(cp c d), Edit(/src/a)] }')
  const { policy, project } = world
  const rule = (command: string, blockedPath: string | null) =>
    policy.allowableRule(session('b'), bash(command), blockedPath)
  expect(rule('cp a b', null)).toBe('Bash(cp a b)')
  expect(rule('cp a b', join(project, 'b'))).toBe('Bash(cp a b)')
  expect(rule('cp a b', '/elsewhere/b')).toBeNull()
  // It asks though it has this one.
  expect(rule('cp c d', null)).toBeNull()
  const write = { toolName: 'Write', input: { file_path: join(project, 'src/a') } }
  expect(policy.allowableRule(session('b'), write, null)).toBeNull()
  expect(policy.exactRule(session('b'), write)).toBe('Edit(/src/a)')
})

test('a mistake in a rule is one of the configuration', async () => {
  await using disk = await temporaryHome()
  await disk.write('projects/a/.keep', '')
  const yaml =
    'teams: { a: { path: ~/projects/a, permissions: { deny: [bash(rm)], from: { c: { allow: Read }, a: { allow: Glob(src) } } } } }'
  const said = await disk.mistakes(yaml)
  expect(said).toMatch(
    /teams\.a\.permissions\.deny\[0\][^]*does not begin with the name of a tool[^]*Bash\(git status \*\)/,
  )
  expect(said).toMatch(/teams\.a\.permissions\.from\.c[^]*is not a team/)
  expect(said).toMatch(/from\.a\.allow\[0\][^]*Claude Code reads paths in rules for Read, which cover Glob too/)
})

describe('harmless is', () => {
  const scratch = scratchDirectory()
  const place = { project: join(scratch.path, 'project'), home: scratch.path }
  mkdirSync(join(place.project, 'src'), { recursive: true })
  writeFileSync(join(scratch.path, 'secret'), '')
  symlinkSync(join(scratch.path, 'secret'), join(place.project, 'link'))

  test.each([
    'ls',
    'ls -la src',
    'cat src/a.ts',
    'head -n 5 a | wc -l',
    'git status -s && git log --oneline',
    'pwd',
    `find . -name '*.ts'`,
    `grep -rn 'x' src`,
    'git diff HEAD~1 -- src/a.ts',
    'tail -n 3 a',
    'head -20 a',
    'tail -n3 a',
    'tail -5 a',
    'wc -l a',
    'grep -rn -A3 --include=*.ts x .',
    'grep -c -e x a',
  ])('%s', (command) => expect(isHarmless(bash(command), place)).toBe(true))

  test.each([
    'cat link',
    'cat /etc/passwd',
    'cat ~/secret',
    'cat ../secret',
    'cat src/../../secret',
    'cat l*',
    'grep -R x .',
    'grep -f/etc/passwd x',
    'find . -delete',
    `find . '-delete'`,
    'find -L .',
    'find . -fprintf x y',
    'tail -f a',
    // They continue forever.
    'tail -n1 -F a',
    'tail -nF a',
    'tail -5f a',
    'tail +5f a',
    'tail --follow a',
    'tail --fol a',
    'tail --retry a',
    // They read files that their words do not name, or run what a file says.
    'grep --file=link x',
    'grep -flink x',
    'grep --fi=link x',
    'grep --exclude-from=link x .',
    'grep --deref x .',
    'wc --files0-from=a',
    'grep -D read x .',
    'ls -L link',
    'ls --deref',
    'ls -H .',
    'cat =ls',
    'cat +x',
    'find . -follow',
    'find . -files0-from a',
    'find . -e* touch x',
    'git diff --no-index a b',
    'git log --follow a',
    'git diff --output=x',
    'git log --ext-diff',
    'git -c a=b status',
    'git push',
    'git branch x',
    'ls > x',
    'ls; rm x',
    'echo $x',
    'cat "$x"',
    'cat {a,b}',
    'ls\u00a0',
    'lsx',
    'sort -o x y',
    'X=1 ls',
    'ls $(x)',
    'cat src/"../../secret"',
  ])('not %s', (command) => expect(isHarmless(bash(command), place)).toBe(false))

  test.each([
    [{ toolName: 'Read', input: { file_path: join(place.project, 'a') } }, true],
    [{ toolName: 'Read', input: { file_path: join(place.project, 'link') } }, false],
    [{ toolName: 'Read', input: { file_path: '/etc/passwd' } }, false],
    [{ toolName: 'Read', input: {} }, true],
    [{ toolName: 'Glob', input: { pattern: '**/*.ts' } }, true],
    [{ toolName: 'Glob', input: { pattern: '/etc/*' } }, false],
    [{ toolName: 'Glob', input: { pattern: '../*' } }, false],
    [{ toolName: 'Grep', input: { pattern: '../x', path: 'src' } }, true],
    [{ toolName: 'Grep', input: { pattern: 'x', path: '..' } }, false],
    [{ toolName: 'Write', input: { file_path: join(place.project, 'a') } }, false],
    [{ toolName: 'WebFetch', input: { url: 'https://example.com' } }, false],
    [{ toolName: 'mcp__iris__send_message', input: {} }, true],
    [{ toolName: 'mcp__irises__x', input: {} }, false],
    [{ toolName: 'mcp__iris__x__y', input: {} }, false],
    [{ toolName: 'mcp__iris___y', input: {} }, false],
    [{ toolName: 'mcp__other__x', input: {} }, false],
    [{ toolName: 'TodoWrite', input: {} }, true],
    [{ toolName: 'SomethingNew', input: {} }, false],
  ])('%j: %s', (use, harmless) => expect(isHarmless(use, place)).toBe(harmless))
})

/** A policy on a configuration of team `a`, asked by team `b`, with grants of its own store. */
async function configured(yaml: string) {
  const disk = await temporaryHome()
  await disk.write('projects/a/.keep', '')
  await disk.write('projects/b/.keep', '')
  await disk.write('iris/config.yaml', `teams:\n  b: { path: ~/projects/b }\n  a:\n    path: ~/projects/a${yaml}\n`)
  chmodSync(`${disk.home}/config.yaml`, 0o600)
  let current: Config = await disk.load()
  const database = openDatabase(join(disk.root, 'store.db'))
  database.exec('PRAGMA foreign_keys = OFF')
  const grants = new PermissionGrants(database)
  const config = () => current
  return {
    policy: new Policy({ config, grants, home: disk.root }),
    config,
    grants,
    clock: systemClock,
    home: config().home,
    project: join(disk.root, 'projects/a'),
    reload: async () => void (current = await disk.load()),
    [Symbol.asyncDispose]: () => disk[Symbol.asyncDispose](),
  }
}
