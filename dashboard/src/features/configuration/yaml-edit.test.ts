import { describe, expect, test } from 'vitest'
import { literalOf, parsed, withValue, writtenAt } from './yaml-edit.ts'

const text = `# Ours
settings:
    httpPort:   0      # any

    maxProcesses: 4    # for the small machine
teams:
    frontend: { path: /a, description: 'The shop' }   # first
    backend:
        description: >-
            Endpoints
            and more
        path:  /b
# the end
`

describe('one value changes and nothing else', () => {
  test.each([
    [['settings', 'maxProcesses'], '12', 'maxProcesses: 4 ', 'maxProcesses: 12 '],
    [['teams', 'frontend', 'description'], '"A: B"', "'The shop'", '"A: B"'],
    [['teams', 'backend', 'description'], 'Short', '>-\n            Endpoints\n            and more\n', 'Short\n'],
    [['settings', 'maxProcesses'], undefined, '    maxProcesses: 4    # for the small machine\n', ''],
    [['teams', 'backend', 'description'], undefined, /        description: >-\n.*\n.*\n/, ''],
    [['settings', 'queueLength'], '3', 'machine\n', 'machine\n    queueLength: 3\n'],
    [['settings', 'budget', 'turns'], '3', 'machine\n', 'machine\n    budget:\n      turns: 3\n'],
    [['teams', 'frontend', 'model'], 'opus', "shop' }", "shop', model: opus }"],
    [['teams', 'backend', 'model'], 'opus', 'path:  /b\n', 'path:  /b\n        model: opus\n'],
    [['database', 'path'], 'x.db', '# the end\n', 'database:\n  path: x.db\n# the end\n'],
  ])('%j: %s', (path, literal, from, to) => {
    expect(withValue(text, path, literal)).toBe(text.replace(from, to))
  })
})

test.each([
  ['', 'settings:\n  a: 1\n'],
  ['# mine', '# mine\nsettings:\n  a: 1\n'],
  ['settings:\n', 'settings:\n  a: 1\n'],
  ['settings: # to come\nteams: {}\n', 'settings: # to come\n  a: 1\nteams: {}\n'],
  ['settings: {}\n', 'settings: { a: 1 }\n'],
  ['settings: { b: 2 } # c\n', 'settings: { b: 2, a: 1 } # c\n'],
])('where there is %j a key finds its place', (before, after) => {
  expect(withValue(before, ['settings', 'a'], '1')).toBe(after)
})

test.each(['{', 'settings: [1]', 'settings: text', '- a'])('%j stays as it is', (before) => {
  expect(withValue(before, ['settings', 'a'], '1')).toBe(before)
})

test('the last key of a section takes the section along, or leaves it empty', () => {
  const next = withValue('settings:\n  a: 1 # why\nteams: {}\n', ['settings', 'a'], undefined)
  expect(parsed(next)?.toJS()).toEqual({ settings: null, teams: {} })
})

test('what has nothing left in it goes along, but for a section or a team', () => {
  const text = 'settings:\n  budget: # ours\n    turns: 1\nteams:\n  a:\n    path: /a\n'
  const without = withValue(text, ['settings', 'budget', 'turns'], undefined)
  expect(without).toBe('settings:\nteams:\n  a:\n    path: /a\n')
  expect(withValue(without, ['teams', 'a', 'path'], undefined)).toBe('settings:\nteams:\n  a:\n')
})

test('what is written is read as it is written', () => {
  const document = parsed('a: 0.50\nb: "x: y"\nc: [1, 2]\nd:\ne: yes\n')!
  const texts = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => {
    const written = writtenAt(document, [key])
    return written.kind === 'absent' ? undefined : written.text
  })
  expect(texts).toEqual(['0.50', 'x: y', '[ 1, 2 ]', undefined, 'yes', undefined])
})

test.each(['plain words', '~/a/b.c', "it's", 'a: b', '# no', '12', 'true', ' x', '', 'ü', '[a', '*x', '- x', 'x, y'])(
  'the text %j comes back',
  (value) => {
    const next = withValue('{ s: { z: 1 } }', ['s', 'a'], literalOf(value))
    expect(parsed(next)?.getIn(['s', 'a'])).toBe(value)
  },
)

test('what refers to itself without end is not read', () => {
  const laughs = Array.from({ length: 9 }, (_, n) => `k${n}: &k${n} [${n ? `*k${n - 1},`.repeat(9) : 'ha'}]`)
  expect(parsed(laughs.join('\n'))).toBeUndefined()
})

test('numbers keep their spelling where the text has to be written again', () => {
  const written = 'settings: { env: { PIN: 010 }, budget: {} }\n'
  expect(withValue(written, ['settings', 'budget', 'turns'], '3')).toMatch(/PIN: 010 .*turns: 3/)
})
