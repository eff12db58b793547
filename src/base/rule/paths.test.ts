import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { isCovered } from './covers.ts'
import { deniedBy } from './denies.ts'
import { exactRule } from './exact-rule.ts'
import { parseRule } from './rule.ts'

const scratch = scratchDirectory()
afterAll(() => scratch[Symbol.dispose]())
const [project, home, outside] = ['project', 'home', 'outside'].map((name) => join(scratch.path, name)) as [
  string,
  string,
  string,
]
for (const directory of [join(project, 'src/deep'), join(project, 'docs'), join(home, 'notes'), outside]) {
  mkdirSync(directory, { recursive: true })
}
writeFileSync(join(outside, 'file'), '')
symlinkSync(outside, join(project, 'src/out'))
symlinkSync(join(outside, 'file'), join(project, 'src/out-file'))
symlinkSync(join(outside, 'new-file'), join(project, 'src/dangling'))
symlinkSync('../docs', join(project, 'src/docs'))
symlinkSync('loop', join(project, 'src/loop'))
symlinkSync(join(project, 'src'), join(project, 'way-in'))

const place = { project, home }
const on = (toolName: string, path: string) => ({ toolName, input: { file_path: path.replace(/^P/, project) } })
const allowed = (rule: string, toolName: string, path: string) =>
  isCovered([parseRule(rule)], on(toolName, path), place)
const denied = (rule: string, toolName: string, path: string) =>
  deniedBy([parseRule(rule)], on(toolName, path), place) !== undefined

describe('a rule for paths', () => {
  test.each([
    ['Edit(src/**)', 'P/src/a.ts'],
    ['Edit(src/**)', 'P/src/deep/new/a.ts'],
    ['Edit(src/**)', 'src/a.ts'],
    ['Edit(src/**)', 'P/docs/../src/a.ts'],
    ['Edit(src/**)', 'P/way-in/a.ts'],
    ['Edit(src)', 'P/src/deep/a.ts'],
    ['Edit(/src/*.ts)', 'P/src/a.ts'],
    ['Edit(./src/*.ts)', 'P/src/a.ts'],
    ['Edit(*.md)', 'P/docs/deep/a.md'],
    ['Edit(**/*.md)', 'P/a.md'],
    ['Edit(**)', 'P/any/thing'],
    ['Edit(docs/[ab]?.md)', 'P/docs/ax.md'],
    ['Edit(docs/\\\\[id].md)', 'P/docs/[id].md'],
    ['Edit(~/notes/**)', 'H/notes/a'],
    [`Edit(/${outside}/**)`, 'O/a'],
    [`Edit(/${outside}/**)`, 'P/src/out/a'],
    [`Edit(/${outside}/new-file)`, 'P/src/dangling'],
    ['Edit(.git/**)', 'P/.git/config'],
    ['Write', 'O/a'],
    ['Write', 'P/a'],
  ])('%s covers %s', (rule, path) => {
    expect(allowed(rule, 'Write', path.replace(/^H/, home).replace(/^O/, outside))).toBe(true)
  })

  test.each([
    ['Edit(src/**)', 'P/src'],
    ['Edit(src/**)', 'P/srcs/a.ts'],
    ['Edit(src/**)', 'P/lib/src/a.ts'],
    ['Edit(src/**)', 'P/src/../a.ts'],
    ['Edit(src/**)', 'P/src/../../outside/a'],
    ['Edit(src/**)', '../outside/a'],
    ['Edit(src/**)', 'O/a'],
    ['Edit(src/**)', 'P/src/out/a'],
    ['Edit(src/**)', 'P/src/out-file'],
    ['Edit(src/**)', 'P/src/dangling'],
    ['Edit(src/**)', 'P/src/docs/a'],
    ['Edit(src/**)', 'P/src/loop'],
    ['Edit(src/**)', 'P/src/a\0'],
    ['Edit(**)', 'P/src/out/a'],
    ['Edit(**)', 'H/notes/a'],
    ['Edit(/src/*.ts)', 'P/src/deep/a.ts'],
    ['Edit(docs/[ab]?.md)', 'P/docs/cx.md'],
    ['Edit(docs/a*b)', 'P/docs/a/b'],
    ['Edit(docs/[!x]b)', 'P/docs//b'],
    ['Read(src/**)', 'P/src/a.ts'],
    ['Write(docs/**)', 'P/src/a.ts'],
    ['NotebookEdit(src/**)', 'P/src/a.ts'],
    ['Edit', 'P/a'],
  ])('%s does not cover %s', (rule, path) => {
    expect(allowed(rule, 'Write', path.replace(/^H/, home).replace(/^O/, outside))).toBe(false)
  })

  test('Edit stands for all tools that edit, Read for all that read, the others for themselves', () => {
    const covering = (rule: string) =>
      ['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Read', 'Grep', 'Glob', 'LS'].filter((tool) =>
        allowed(rule, tool, 'P/a'),
      )
    expect(covering('Edit(a)')).toEqual(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])
    expect(covering('Edit')).toEqual(['Edit'])
    expect(covering('Read(a)')).toEqual(['Read', 'Grep', 'Glob', 'LS'])
    expect(covering('Write(a)')).toEqual(['Write'])
  })

  test('what searches without a path is about the project', () => {
    const grep = { toolName: 'Grep', input: { pattern: 'x' } }
    expect(isCovered([parseRule('Read(**)')], grep, place)).toBe(true)
    expect(isCovered([parseRule('Read(src/**)')], grep, place)).toBe(false)
  })

  test.each([
    ['Edit(src/out/**)', 'P/src/out/a'],
    [`Edit(/${outside}/**)`, 'P/src/out/a'],
    [`Edit(/${outside}/**)`, 'P/src/dangling'],
    ['Edit(docs/**)', 'P/src/docs/a'],
    ['Edit(src/**)', 'P/src/loop'],
    ['Edit(secret)', 'P/src/../secret'],
    ['Edit(.env)', 'P/deep/.env'],
    ['Edit', 'P/a'],
  ])('%s forbids %s', (rule, path) => expect(denied(rule, 'Write', path)).toBe(true))
})

describe('the exact rule', () => {
  test.each([
    [{ toolName: 'Bash', input: { command: ' npm test ' } }, 'Bash(npm test)'],
    [{ toolName: 'Bash', input: { command: 'git log | head > "a(b)"' } }, 'Bash(git log | head > "a\\(b\\)")'],
    [{ toolName: 'Bash', input: { command: 'grep a\\.b x' } }, 'Bash(grep a\\\\.b x)'],
    [{ toolName: 'Bash', input: { command: 'ls *.ts' } }, null],
    [{ toolName: 'Bash', input: { command: 'git status:*' } }, null],
    [{ toolName: 'Bash', input: { command: 'ls\u200b' } }, null],
    [{ toolName: 'Bash', input: { command: '' } }, null],
    [{ toolName: 'Bash', input: {} }, null],
    [on('Write', 'P/src/[id]*.ts'), 'Edit(/src/\\\\[id]\\\\*.ts)'],
    [on('Edit', 'P/src/out/a'), `Edit(/${outside}/a)`],
    [on('Read', 'P/src/a(b).ts'), 'Read(/src/a\\(b\\).ts)'],
    [{ toolName: 'Grep', input: { pattern: 'x' } }, 'Read(**)'],
    [{ toolName: 'WebFetch', input: { url: 'https://Example.com/x?y' } }, 'WebFetch(domain:example.com)'],
    [{ toolName: 'WebFetch', input: { url: 'file:///etc/passwd' } }, null],
    [{ toolName: 'WebFetch', input: { url: 'no url' } }, null],
    [{ toolName: 'Task', input: { subagent_type: 'reviewer' } }, 'Task(reviewer)'],
    [{ toolName: 'Task', input: { subagent_type: 'a*' } }, null],
    [{ toolName: 'Skill', input: { skill: 'pdf' } }, 'Skill(pdf)'],
    [{ toolName: 'mcp__server__do_it', input: {} }, 'mcp__server__do_it'],
    [{ toolName: 'WebSearch', input: { query: 'x' } }, 'WebSearch'],
  ])('of %j is %j', (use, rule) => expect(exactRule(use, place)).toBe(rule))

  test('covers what it was made of, and no other command', () => {
    const commands = ['npm test', 'a; b', 'echo "x (y)" \\( \\\\ \\\\(', 'echo \\*', 'printf "%s\\n" $(x) # c', 'a\nb']
    for (const command of commands) {
      const rule = exactRule({ toolName: 'Bash', input: { command } }, place)
      const covering = commands.filter((other) =>
        isCovered([parseRule(rule!)], { toolName: 'Bash', input: { command: other } }, place),
      )
      expect(covering).toEqual([command])
    }
    for (const path of ['P/src/[id]*?.ts', 'P/src/\\x', 'P/a(b)\\)', 'P/ x ']) {
      const rule = exactRule(on('Write', path), place)
      expect([path, rule && allowed(rule, 'Write', path)]).toEqual([path, true])
    }
  })
})
