import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { addRule, withoutRule, withRule } from './add-rule.ts'

const rule = 'Bash(npm test)'
const added = (text: string, one = rule, list: 'allow' | 'deny' = 'allow') =>
  withRule(text, { team: 'a', list, rule: one })

test('one more line is added to a list, and nothing else changes', () => {
  const text = `# mine
settings:   { httpPort: 0 }   # odd   spaces

teams:
    a:
        path:   ~/a     # here
        permissions:
            allow:
            - Read      # of course
            - "Bash(git status *)"   # and this

            # what follows
            deny: [ Bash(rm *) ]
    b: { path: ~/b }
`
  const line = `            - 'Bash(npm test)'\n`
  const at = text.indexOf('\n            # what follows')
  expect(added(text)).toBe(text.slice(0, at) + line + text.slice(at))
  expect(added(text, rule, 'deny')).toBe(text.replace('Bash(rm *) ]', `Bash(rm *) , 'Bash(npm test)']`))
})

test.each([
  [
    'permissions without that list',
    'teams:\n  a:\n    path: x\n    permissions:\n      deny:\n        - Read\n  b:\n    path: y\n',
  ],
  ['no permissions', 'teams:\n  a:\n    path: x # c\n\n  # b is next\n  b:\n    path: y\n'],
  ['no newline at the end', 'teams:\n  a:\n    path: x'],
  ['a text of several lines before it', 'teams:\n  a:\n    path: x\n    appendSystemPrompt: |\n      one\n      two\n'],
])('lines are added where there are %s', (_, text) => {
  const after = added(text)!
  const lines = after.split('\n')
  for (const line of text.split('\n')) expect(lines).toContain(line)
  expect(after).toMatch(/^ {4}permissions:\n(?: {6}deny:\n {8}- Read\n)? {6}allow:\n {8}- 'Bash\(npm test\)'$/m)
})

test.each([
  ['in braces', 'teams: { a: { path: x } } # c\n'],
  ['an empty list', 'teams:\n  a:\n    path: x # c\n    permissions: { allow: [] }\n'],
  ['nothing in the list', 'teams:\n  a:\n    path: x # c\n    permissions:\n      allow:\n'],
  ['text with commas', 'teams:\n  a:\n    path: x # c\n    permissions:\n      allow: Read, Bash(git add a,b)\n'],
])('a rule is added where there is %s, and comments stay', (_, text) => {
  const after = added(text)!
  expect(after).toContain('# c')
  expect(after).toContain(rule)
})

test.each([
  `Bash(echo 'it''s' "x")`,
  'Bash(echo ${HOME} $${X} {a})',
  'Bash(a: b # c)',
  'Bash(printf x\n  y\n)',
  'Bash(größe)',
])('what the file says afterwards is the rule: %j', async (text) => {
  await using disk = await temporaryHome()
  await disk.write('projects/a/.keep', '')
  await disk.write('iris/config.yaml', `teams:\n  a:\n    path: ~/projects/a\n`)
  await chmod(`${disk.home}/config.yaml`, 0o600)
  await addRule({ file: `${disk.home}/config.yaml`, team: 'a', list: 'deny', rule: text })
  const { teams } = await disk.load()
  expect(teams.get('a')?.permissions).toEqual({ allow: [], deny: [text], from: {} })
})

test('a rule that stands there already is not written again', () => {
  const text = added('teams: { a: { path: x } }')!
  expect(added(text)).toBe(text)
})

test.each([
  ['no YAML', 'teams: ['],
  ['another team', 'teams: { b: { path: x } }'],
  ['a shared list', 'teams:\n  b: { path: y, permissions: &p { allow: [Read] } }\n  a: { path: x, permissions: *p }\n'],
  [
    'a list that others share',
    'teams:\n  a: { path: x, permissions: &p { allow: [Read] } }\n  b: { path: y, permissions: *p }\n',
  ],
])('nothing is written into a file with %s', (_, text) => expect(added(text)).toBeUndefined())

test('the file keeps its mode and its link, and nothing is left beside it', async () => {
  await using disk = await temporaryHome()
  await disk.write('dotfiles/iris.yaml', 'teams: { a: { path: x } }')
  await chmod(`${disk.root}/dotfiles/iris.yaml`, 0o640)
  const file = `${disk.home}/config.yaml`
  await symlink('../dotfiles/iris.yaml', file)
  await addRule({ file, team: 'a', list: 'allow', rule })
  expect((await lstat(file)).isSymbolicLink()).toBe(true)
  expect((await stat(file)).mode & 0o777).toBe(0o640)
  expect(await readFile(file, 'utf8')).toContain(rule)
  expect(await readdir(`${disk.root}/dotfiles`)).toEqual(['iris.yaml'])
})

test('of many rules at once none is lost', async () => {
  await using disk = await temporaryHome()
  const file = `${disk.home}/config.yaml`
  await disk.write('iris/config.yaml', 'teams: { a: { path: x } }')
  const rules = ['Read', 'Edit', 'Write']
  for (const one of rules) await addRule({ file, team: 'a', list: 'allow', rule: one })
  const text = await readFile(file, 'utf8')
  expect(rules.filter((one) => !text.includes(one))).toEqual([])
})

test('a file that cannot be changed is named, with what to write into it', async () => {
  await using disk = await temporaryHome()
  const file = `${disk.home}/config.yaml`
  await writeFile(file, 'teams: [')
  await expect(addRule({ file, team: 'a', list: 'allow', rule })).rejects.toMatchObject({
    code: 'config_invalid',
    remedy: 'Add it by hand, under teams.a.permissions.allow: Bash(npm test)',
  })
  expect(await readFile(file, 'utf8')).toBe('teams: [')
})

test.each([
  'teams:\n  a:\n    path: x # c\n  b:\n    path: y\n',
  'teams:\n  a:\n    path: x\n    permissions:\n      deny:\n        - Read\n  b:\n    path: y\n',
  'teams:\n  a:\n    path: x\n    permissions:\n      allow:\n        - Read # why\n  b:\n    path: y\n',
  'teams:\n  a:\n    permissions:\n      allow:\n        - Read\n    path: x\n',
])('a rule that was added and is taken out again leaves the file as it was: %j', (text) => {
  expect(withoutRule(added(text)!, { team: 'a', list: 'allow', rule })).toBe(text)
})

test('a rule is taken out of a list in brackets too, and one that is not there changes nothing', () => {
  const text = 'teams: { a: { path: x, permissions: { allow: [Read, "Bash(npm test)"] } } } # c\n'
  const after = withoutRule(text, { team: 'a', list: 'allow', rule })!
  expect(after).toContain('# c')
  expect(after).not.toContain('npm test')
  expect(after).toContain('Read')
  expect(withoutRule(text, { team: 'a', list: 'deny', rule })).toBe(text)
})

test('numbers keep their spelling where the document has to be written again', () => {
  const text = 'teams: { a: { path: x, env: { PIN: 010, BIG: 12345678901234567890 } } }\n'
  const after = added(text) ?? ''
  expect(after).toContain('PIN: 010')
  expect(after).toContain('BIG: 12345678901234567890')
  expect(after).toContain(rule)
})
