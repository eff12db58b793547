import { describe, expect, test } from 'vitest'
import { isCovered } from './covers.ts'
import { deniedBy } from './denies.ts'
import { parseRule } from './rule.ts'
import { suggestedRules } from './suggested-rules.ts'

const place = { project: '/nonexistent/project', home: '/nonexistent/home' }

describe('no rule is', () => {
  test.each([
    ['bash(git status)', 'does not begin with the name of a tool, such as Bash'],
    ['', 'does not begin with the name of a tool, such as Bash'],
    ['*', 'does not begin with the name of a tool, such as Bash'],
    ['git status', 'does not begin with the name of a tool, such as Bash'],
    ['Bash (git status)', 'does not begin with the name of a tool, such as Bash'],
    ['Bash(git status', 'does not end with the parenthesis that it opens'],
    ['Bash(git status) ', 'does not end with the parenthesis that it opens'],
    ['Bash()', 'has nothing in its parentheses'],
    ['Bash( )', 'has nothing in its parentheses'],
    ['Bash(git\u200b status)', 'contains an invisible character'],
    ['Bash(git\u202e status)', 'contains an invisible character'],
    ['WebSearch(x)', 'has parentheses, which a rule for WebSearch cannot have'],
    ['WebFetch(example.com)', 'is not of the form WebFetch(domain:example.com)'],
    ['WebFetch(domain:exa mple)', 'is not of the form WebFetch(domain:example.com)'],
    ['WebFetch(domain:*)', 'is not of the form WebFetch(domain:example.com)'],
    ['mcp__server__tool(x)', 'has parentheses, which a rule for an MCP tool cannot have'],
    ['mcp__ser ver', 'is not of the form mcp__server__tool'],
    ['Edit(!src)', 'begins with !, but a rule cannot make exceptions'],
    ['Edit(../x)', 'contains .., so it is unclear where it leads'],
    ['Edit(/)', 'names no path; to match everything, use **'],
    ['Edit([z-a])', 'has brackets with a reversed range'],
  ])('%j', (text, why) => expect(() => parseRule(text)).toThrow(why))
})

describe('covers', () => {
  const uses = {
    fetch: { toolName: 'WebFetch', input: { url: 'https://docs.example.com./x' } },
    disguised: { toolName: 'WebFetch', input: { url: 'https://docs.example.com@evil.org/' } },
    file: { toolName: 'WebFetch', input: { url: 'file://docs.example.com/etc' } },
    get: { toolName: 'mcp__git__get_log', input: {} },
    push: { toolName: 'mcp__git__push', input: {} },
    other: { toolName: 'mcp__gitlab__push', input: {} },
    agent: { toolName: 'Agent', input: { subagent_type: 'reviewer' } },
    task: { toolName: 'Task', input: { subagent_type: 'reviewer' } },
    skill: { toolName: 'Skill', input: { skill: 'pdf' } },
    search: { toolName: 'WebSearch', input: { query: 'x' } },
  }
  test.each([
    ['WebFetch(domain:docs.example.com)', ['fetch']],
    ['WebFetch(domain:*.example.com)', ['fetch']],
    ['WebFetch(domain:example.com)', []],
    ['WebFetch', ['fetch', 'disguised', 'file']],
    ['mcp__git', ['get', 'push']],
    ['mcp__git__*', ['get', 'push']],
    ['mcp__git__get_*', ['get']],
    ['mcp__git__push', ['push']],
    ['mcp__*', ['get', 'push', 'other']],
    ['Agent(reviewer)', ['agent', 'task']],
    ['Task(review*)', ['agent', 'task']],
    ['Agent', ['agent', 'task']],
    ['Agent(other)', []],
    ['Skill(pdf)', ['skill']],
    ['WebSearch', ['search']],
    ['Bash', []],
  ])('%s: %j', (text, names) => {
    const rules = [parseRule(text)]
    expect(Object.entries(uses).flatMap(([name, use]) => (isCovered(rules, use, place) ? [name] : []))).toEqual(names)
    expect(Object.entries(uses).flatMap(([name, use]) => (deniedBy(rules, use, place) ? [name] : []))).toEqual(names)
  })
})

test('offers of the CLI become rules as it writes them itself; modes, directories and nonsense are left out', () => {
  const rule = (toolName: unknown, ruleContent?: unknown) => ({ toolName, ruleContent })
  expect(
    suggestedRules([
      { type: 'addRules', behavior: 'allow', rules: [rule('Bash', 'git log *'), rule('Bash', 'echo (\\)')] },
      {
        type: 'addRules',
        behavior: 'allow',
        rules: [rule('Read', '//etc/**'), rule('WebSearch'), rule('Bash', 'git log *')],
      },
      { type: 'addRules', behavior: 'deny', rules: [rule('Bash', 'x')] },
      { type: 'addRules', behavior: 'allow', rules: [rule('Bash', ''), rule(7), null, rule('Bash', 'a\u200b')] },
      { type: 'addRules', behavior: 'allow' },
      { type: 'setMode', mode: 'acceptEdits' },
      { type: 'addDirectories', directories: ['/x'] },
      null,
    ]),
  ).toEqual(['Bash(git log *)', 'Bash(echo \\(\\\\\\))', 'Read(//etc/**)', 'WebSearch'])
})

test('a command made to be unreadable is forbidden wherever a command is', () => {
  for (const command of ['env '.repeat(20_000), `sh -c "${'env '.repeat(9_000)}"`, `: ${'x'.repeat(1_000_001)}`]) {
    const use = { toolName: 'Bash', input: { command } }
    expect(deniedBy([parseRule('Bash(rm *)')], use, place)).toBeDefined()
    expect(deniedBy([parseRule('Edit(x)')], use, place)).toBeUndefined()
  }
})
