import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { changeConfig, keepNoTeams, removeValue, setValue } from './change-text.ts'

/**
 * The text of config.yaml after each change; `R` is the directory of the test. Each change begins with the same text.
 */
async function changes(text: string, each: Readonly<Record<string, unknown>>): Promise<Record<string, string>> {
  await using disk = await temporaryHome()
  const results: Record<string, string> = {}
  for (const name of ['a', 'b', 'c']) await mkdir(join(disk.root, name))
  for (const [key, value] of Object.entries(each)) {
    await disk.write('iris/config.yaml', text.replaceAll('R/', `${disk.root}/`))
    const path = key.split('.')
    const given = JSON.parse(JSON.stringify(value ?? null).replaceAll('R/', `${disk.root}/`))
    await changeConfig({ home: disk.home, env: { HOME: disk.root } }, (document) => {
      if (value !== undefined) return setValue(document, path, given)
      removeValue(document, path)
      if (path[0] === 'teams' && path.length <= 2) keepNoTeams(document)
    })
    results[key] = (await readFile(join(disk.home, 'config.yaml'), 'utf8')).replaceAll(`${disk.root}/`, 'R/')
  }
  return results
}

const odd = `# head
--- # doc
settings: # on settings

  # before port
  httpPort: 0 # on port
  maxProcesses: 0x0A
  env:
    PIN: 010
    BIG: 12345678901234567890
    SHARE: .50
  # at the end of settings

# about all teams
teams:
    a: # the first
        path: R/a
        allowedTools: # tools
        # before
        - Read # r
        - Grep
        # after
        appendSystemPrompt: | # keep
            # no comment
            text

        # model: opus

    # about b
    b: { path: R/b, # in braces
         model: opus } # after it
    c:
        path: R/c
        # in c
    # after c

# ---- notes ----
`

test('a change leaves every other line as it is written: comments, numbers, indentation', async () => {
  const cut = (...lines: string[]): string => lines.reduce((text, line) => text.replace(line, ''), odd)
  expect(
    await changes(odd, {
      'settings.queueLength': 5,
      'settings.maxProcesses': 12,
      'settings.httpPort': undefined,
      'settings.env': undefined,
      'teams.a.allowedTools': ['Read'],
      'teams.a.allowedTools ': undefined,
      'teams.b': undefined,
      'teams.b.model': 'haiku',
      'teams.c': undefined,
      'teams.c.model': 'opus',
    }),
  ).toEqual({
    'settings.queueLength': odd.replace('    SHARE: .50\n', '    SHARE: .50\n  queueLength: 5\n'),
    'settings.maxProcesses': odd.replace('0x0A', '12'),
    'settings.httpPort': cut('  httpPort: 0 # on port\n'),
    'settings.env': cut('  env:\n', '    PIN: 010\n', '    BIG: 12345678901234567890\n', '    SHARE: .50\n'),
    'teams.a.allowedTools': cut('        - Grep\n').replace('Read # r', 'Read'),
    'teams.a.allowedTools ': odd,
    'teams.b': cut('    b: { path: R/b, # in braces\n', '         model: opus } # after it\n'),
    'teams.b.model': odd.replace('model: opus }', 'model: haiku }'),
    'teams.c': cut('    c:\n', '        path: R/c\n', '        # in c\n'),
    'teams.c.model': odd.replace('R/c\n', 'R/c\n        model: opus\n'),
  })
})

test('an emptied or empty section keeps its comments', async () => {
  const text = '# a\nsettings: # b\n  # c\n  queueLength: 3 # d\n  # e\n# f\nteams: # g\n  # h\n# i\n'
  const team = { path: 'R/a' }
  expect(await changes(text, { 'settings.queueLength': undefined, settings: undefined, 'teams.a': team })).toEqual({
    'settings.queueLength': text.replace('  queueLength: 3 # d\n', '').replace('settings:', 'settings: {}'),
    settings: text.replace('  queueLength: 3 # d\n', ''),
    'teams.a': text.replace('  # h\n', '  # h\n  a:\n    path: R/a\n'),
  })
  const one = 'teams: # x\n  # about a\n  a:\n    path: R/a\n\n# notes\n'
  expect(await changes(one, { 'teams.a': undefined })).toEqual({
    'teams.a': 'teams: {} # x\n  # about a\n\n# notes\n',
  })
  expect(await changes('teams: {} # none yet\n', { 'teams.a': team })).toEqual({
    'teams.a': 'teams: # none yet\n  a:\n    path: R/a\n',
  })
})

test('what other places share by an anchor stays theirs', async () => {
  const text = `teams:
  a: { path: R/a, model: &m opus }
  b:
    path: R/b
    model: *m
    env: &e
      # one
      PIN: 010 # p
      B: x
  c:
    path: R/c
    model: *m
    env: *e
`
  const withOwn = text.replaceAll('*m', 'opus')
  expect(
    await changes(text, {
      'teams.a.model': 'sonnet',
      'teams.a': undefined,
      'teams.b.env.B': 'y',
      'teams.c.env.B': 'y',
      'teams.c.env.PIN': undefined,
      'teams.b.env': undefined,
    }),
  ).toEqual({
    'teams.a.model': withOwn.replace('&m opus', '&m sonnet'),
    'teams.a': withOwn.replace('  a: { path: R/a, model: &m opus }\n', ''),
    'teams.b.env.B': text.replace('B: x', 'B: y').replace('*e', '{ PIN: 010, B: x }'),
    'teams.c.env.B': text.replace('*e', '{ PIN: 010, B: y }'),
    'teams.c.env.PIN': text.replace('*e', '{ B: x }'),
    'teams.b.env': text.replace(/ {4}env: &e\n(?: {6}.*\n)+/, '').replace('*e', '{ PIN: 010, B: x }'),
  })
})

test('ends of lines, a byte order mark and a missing last line break stay', async () => {
  const text = '\ufeffsettings:\r\n  queueLength: 3\r\nteams:\r\n  a:\r\n    path: R/a'
  expect(await changes(text, { 'settings.maxProcesses': 4, 'teams.a.model': 'opus' })).toEqual({
    'settings.maxProcesses': text.replace('queueLength: 3\r\n', 'queueLength: 3\r\n  maxProcesses: 4\r\n'),
    'teams.a.model': `${text}\r\n    model: opus\r\n`,
  })
})

test('where lines cannot be edited the document is written again, and says the same', async () => {
  const text = '? settings\n: queueLength: 3 # q\n  env: { PIN: 010 }\nteams: {}\n'
  const { 'settings.maxProcesses': after } = await changes(text, { 'settings.maxProcesses': 4 })
  expect(after).toContain('PIN: 010')
  expect(after).toContain('queueLength: 3 # q')
  expect(after).toContain('maxProcesses: 4')
})

test('a change that would make the file too large, or has no end, is refused', async () => {
  const full = `teams: {}\n# ${'full '.repeat(209_700)}\n`
  await expect(changes(full, { 'settings.env': { TEXT: 'x'.repeat(1000) } })).rejects.toThrow('mistake')
  const endless = 'settings:\n  env: &e { A: *e }\nteams: {}\n'
  await expect(changes(endless, { 'settings.queueLength': 4 })).rejects.toThrow('mistake')
})

test('of several changes at once, none is lost or refused', async () => {
  await using disk = await temporaryHome()
  await disk.write('iris/config.yaml', 'settings:\n  httpPort: 0\n')
  const options = { home: disk.home, env: { HOME: disk.root } }
  const names = ['A', 'B', 'C', 'D', 'E']
  await Promise.all(
    names.map((name) => changeConfig(options, (document) => setValue(document, ['settings', 'env', name], 'x'))),
  )
  const text = await readFile(join(disk.home, 'config.yaml'), 'utf8')
  for (const name of names) expect(text).toContain(`    ${name}: x`)
})
