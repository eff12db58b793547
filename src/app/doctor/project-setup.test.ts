import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { setupProblems } from './project-setup.ts'

const executable = new IrisError('claude_not_found', 'There is none.', 'Install it.')

function someProject() {
  const scratch = scratchDirectory()
  const [home, project] = [join(scratch.path, 'home'), join(scratch.path, 'project')]
  for (const directory of [join(home, '.claude'), join(project, 'docs')]) mkdirSync(directory, { recursive: true })
  return {
    project,
    write: (name: string, text: string) => writeFileSync(join(scratch.path, name), text),
    found: (mcpServers: 'iris' | 'project' = 'iris', claude: string | IrisError = executable) =>
      setupProblems(
        { realPath: project, mcpServers },
        { executable: claude, env: { HOME: home }, configDirectory: join(home, '.claude') },
      ),
    path: (name: string) => join(scratch.path, name),
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  }
}

test('imports are followed from file to file, and those that lead nowhere are named once', async () => {
  using here = someProject()
  here.write('home/.claude/CLAUDE.md', '@~/mine.md and @~/gone.md')
  here.write('home/mine.md', 'mine')
  here.write('project/CLAUDE.md', '@docs/one.md @docs/none.md @docs/none.md')
  // Circular imports end.
  here.write('project/docs/one.md', '@../CLAUDE.md @two.md @three.md')
  here.write('project/docs/two.md', 'As in @one.md, and @../docs/one.md')
  const dead = (file: string, path: string, why: string) => ({
    kind: 'import',
    text: `${here.path(file)} imports @${path}, and ${why}.`,
  })
  const missing = (file: string, path: string) => dead(file, path, 'there is no such file')
  expect(await here.found()).toEqual([
    missing('project/CLAUDE.md', 'docs/none.md'),
    missing('project/docs/one.md', 'three.md'),
    dead('project/docs/two.md', 'one.md', 'Claude Code takes the "," after it for a part of the path'),
    missing('home/.claude/CLAUDE.md', '~/gone.md'),
  ])
})

test('a report on settings that Claude Code did not give is named as missing', async () => {
  using here = someProject()
  here.write('claude', '#!/bin/sh\n')
  chmodSync(here.path('claude'), 0o755)
  const found = () => here.found('iris', here.path('claude'))
  expect(await found()).toEqual([])
  here.write('home/.claude/settings.json', '{}')
  expect(await found()).toEqual([{ kind: 'report', text: expect.stringContaining('gave no report') }])
})

test('a rule that denies or asks and has no effect for a mistake in typing is named, and no other', async () => {
  using here = someProject()
  mkdirSync(here.path('project/.claude'))
  const dead = ['bash(rm *)', 'Bash (rm *)', ' Bash(rm *)', 'BASH', 'Bash(rm *', 'Bash(rm *) ']
  const live = ['Bash', 'Bash(rm *)', 'Bash(echo "(")', 'Write(src/**)', 'mcp__git', 'NewTool(x)', 'mcp__a__b']
  const permissions = { deny: [...dead, ...live], ask: ['web_search', 'webfetch'], allow: ['bash'] }
  here.write('project/.claude/settings.local.json', JSON.stringify({ permissions }))
  here.write('home/.claude/settings.json', JSON.stringify({ permissions: { deny: ['read(.env)', 7] } }))
  here.write('project/.claude/settings.json', '{"permissions": {"deny": ["bash"],}}')
  const of = (file: string, list: string, rule: string) =>
    `Claude Code ignores the rule ${JSON.stringify(rule)} in permissions.${list} of ${here.path(file)}: `
  const local = 'project/.claude/settings.local.json'
  expect((await here.found()).map(({ text }) => text.replace(/(: )[^:]*$/, '$1'))).toEqual([
    of('home/.claude/settings.json', 'deny', 'read(.env)'),
    ...dead.map((rule) => of(local, 'deny', rule)),
    of(local, 'ask', 'webfetch'),
  ])
  expect((await here.found())[0]?.text).toMatch(/: there is no tool "read", only "Read"$/)
})

test('a project may import from outside only where a person has allowed that', async () => {
  using here = someProject()
  here.write('project/CLAUDE.md', '@~/mine.md @../home/mine.md')
  here.write('home/mine.md', 'mine')
  expect((await here.found()).map(({ text }) => text)).toEqual([
    expect.stringContaining('imports @~/mine.md, which is outside of the project.'),
    expect.stringContaining('imports @../home/mine.md, which is outside of the project.'),
  ])
  const allowed = { projects: { [here.project]: { hasClaudeMdExternalIncludesApproved: true } } }
  here.write('home/.claude.json', JSON.stringify(allowed))
  expect(await here.found()).toEqual([])
})

test('a list of servers with a mistake is named where the team has the servers of its project', async () => {
  using here = someProject()
  const file = here.path('project/.mcp.json')
  const [fine, other] = [{ command: 'server' }, { type: 'http', url: 'http://127.0.0.1/mcp' }]
  here.write('project/.mcp.json', JSON.stringify({ mcpServers: { fine, other, bad: { command: 3 } } }))
  expect(await here.found()).toEqual([])
  expect(await here.found('project')).toEqual([
    {
      kind: 'server',
      text: `Claude Code ignores the MCP server bad in ${file}, which has no command and no url that is text.`,
    },
  ])
  here.write('project/.mcp.json', '{,}')
  expect(await here.found('project')).toEqual([
    { kind: 'server', text: `Claude Code ignores ${file}, which is no JSON.` },
  ])
})
