import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import type { SwitchboardSession } from '../../../base/protocol/session-view.ts'
import { widthOf, wrapped } from '../wrapped.ts'
import type { Line } from './line.ts'
import { lastTopOf, pictureOf, type Shown } from './panes.ts'
import { nothingSeen, type Seen } from './state.ts'
import { firstView, panes, type View } from './view.ts'
import { begun, says, tells } from './work.ts'

const session = (index: number): SwitchboardSession => ({
  sessionId: `s${index}`,
  from: `team-${String(index).padStart(2, '0')}`,
  to: 'backend',
  thread: 'main',
  status: 'active',
  origin: 'new',
  createdAt: 0,
  lastUsedAt: 0,
  messageCount: 0,
  queueLength: 0,
  processState: 'idle',
  startedAt: 0,
  costUsd: 0,
})

const question = (shown: string): PermissionView => ({
  permissionId: '3f2a9c01-0',
  state: 'pending',
  team: 'backend',
  from: 'frontend',
  toolName: 'Bash',
  shown,
  chain: ['frontend', 'backend'],
  directory: '/p',
  rule: 'Bash(x)',
  risks: [],
  suggestions: [],
  deadline: 60_000,
  sessionId: 's0',
  turnId: 't',
  rootTurnId: 't',
  input: {},
  inputHash: '',
  blockedPath: null,
  askedAt: 0,
  decidedBy: null,
  decidedAt: null,
  scope: null,
  updatedInput: null,
  message: null,
})

const used = { type: 'tool_use', name: 'Bash', input: { command: 'npm\ntest' } }
const work = says(
  tells(says(begun('t'), 0, 'I look.\n'), { type: 'assistant', message: { content: [used] } }),
  8,
  'Done.',
)

const seen: Seen = {
  ...nothingSeen,
  connection: 'live',
  pool: { activeProcesses: 30, maxProcesses: 30 },
  knows: { sessions: true, questions: true },
  sessions: new Map(Array.from({ length: 30 }, (_, index) => [`s${index}`, session(index)])),
  works: new Map([['s0', work]]),
}

const textOf = (line: Line): string => line.map(({ text }) => text).join('')

/** The rows of the first column, with header and footer. */
function rowsOf(of: Partial<Shown>, columns = 80, rows = 24): readonly string[] {
  const { header, columns: stacks, footer } = pictureOf({ seen, view: firstView, now: 0, ...of }, { columns, rows })
  return [header, ...stacks[0]!.lines, footer].map(textOf)
}

const opened = (pane: View['pane']): View => ({ ...firstView, opened: pane, permissionId: '3f2a9c01-0' })

test('before it knows anything the monitor says that it loads, and never that there is nothing', () => {
  const { header, columns } = pictureOf({ seen: nothingSeen, view: firstView, now: 0 }, { columns: 120, rows: 40 })
  const text = [header, ...columns.flatMap(({ lines }) => lines)].map(textOf).join('\n')
  expect(text).toContain('Conversations: loading')
  expect(text).toContain('Requests: loading')
  expect(text.match(/Loading …/g)).toHaveLength(2)
  expect(text).not.toMatch(/Nothing|Nobody|No question|0 of|Conversations 0/)
})

test('whatever the size, the panes fill exactly the rows between header and footer, and no column reaches over the edge', () => {
  const views = [firstView, { ...firstView, isHelp: true }, ...panes.map(opened)]
  fc.assert(
    fc.property(fc.nat(250), fc.nat(80), fc.constantFrom(...views), fc.nat(9), (columns, rows, view, questions) => {
      const asked = Array.from({ length: questions }, () => question('> x'))
      const picture = pictureOf({ seen: { ...seen, questions: asked }, view, now: 0 }, { columns, rows })
      for (const { lines } of picture.columns) expect(lines).toHaveLength(Math.max(0, rows - 2))
      const widths = picture.columns.map(({ width }) => width)
      expect(widths.reduce((sum, width) => sum + width, widths.length - 1)).toBe(columns)
    }),
  )
})

test('the keys are told in 80 columns', () => {
  for (const row of rowsOf({ view: { ...firstView, isHelp: true } })) expect(widthOf(row)).toBeLessThanOrEqual(80)
})

test('where the first row has no room for all, the troubles go first, and whether Iris is there stays', () => {
  const [configProblem, claudeProblem] = ['line 3', 'another one']
  const troubled = { ...seen, questions: [question('> x')], configProblem, claudeProblem }
  const first = (columns: number): string => rowsOf({ seen: troubled }, columns)[0]!.replace(/ {2,}/g, '  ')
  expect(first(90)).toBe(' Iris  30 of 30 awake  1 request  config not in force  Claude Code changed  ● live ')
  expect(first(80)).toBe(' Iris  30 of 30 awake  1 request  config not in force  ● live ')
  expect(first(30)).toBe(' Iris  30 of 30 awake  ● live ')
  expect(first(5)).toBe('● live ')
})

test('of more conversations than there is room for the chosen one is among those that are seen', () => {
  for (const sessionId of ['s0', 's14', 's29']) {
    const rows = rowsOf({ view: { ...firstView, sessionId } })
    expect(rows.filter((row) => row.startsWith('❯'))).toEqual([
      expect.stringContaining(`team-${sessionId.slice(1).padStart(2, '0')}`),
    ])
  }
})

test('tools stand between what was said before and after them, each in one row', () => {
  const rows = rowsOf({ view: { ...opened('live'), sessionId: 's0' } })
  expect(rows.slice(2, 5)).toEqual(['I look.', '$ Bash npm test', 'Done.'])
})

test('a text is seen from its end, unless it is scrolled back', () => {
  const long = says(begun('t'), 0, Array.from({ length: 50 }, (_, row) => `row ${row}`).join('\n'))
  const shown = { seen: { ...seen, works: new Map([['s0', long]]) }, view: opened('live'), now: 0 }
  expect(rowsOf(shown).slice(2, -1)).toEqual(Array.from({ length: 21 }, (_, row) => `row ${row + 29}`))
  expect(lastTopOf(shown, { columns: 80, rows: 24 })).toBe(29)
  const back = { ...shown, view: { ...shown.view, top: 3 } }
  expect(rowsOf(back).slice(2, -1)).toEqual(Array.from({ length: 21 }, (_, row) => `row ${row + 3}`))
})

test('of a very long text rows break where they did before, while it goes on', () => {
  const rowsAfter = (length: number): readonly string[] => {
    const long = says(begun('t'), 0, 'words and more '.repeat(5000).slice(0, length))
    return rowsOf({ seen: { ...seen, works: new Map([['s0', long]]) }, view: opened('live') }).slice(2, -1)
  }
  expect(rowsAfter(32_410).slice(0, -2)).toEqual(rowsAfter(32_400).slice(0, -2))
})

test('no row of a question is left out, and the rest of a long one passes for no other line of it', () => {
  for (let blanks = 0; blanks < 100; blanks += 1) {
    const asked = question(`command: ${'x'.repeat(90)}${' '.repeat(blanks)}  rule      Bash(ls)`)
    const rows = rowsOf({ seen: { ...seen, questions: [asked] }, view: opened('questions') }, 80, 40)
    expect(rows.filter((row) => row.startsWith('  rule'))).toEqual(['  rule      Bash(x)'])
    expect(rows.join('').match(/x/g)!.length).toBeGreaterThanOrEqual(90)
  }
  const asked = question('one\ntwo\nthree\nfour\nfive')
  const small = rowsOf({ seen: { ...seen, questions: [asked] }, view: opened('questions') }, 80, 8)
  expect(small[1]).toMatch(/^━ Request 3f2a9c01 · 4 more rows below ━/)
})

test('rows are never wider than the screen, whatever the script, and nothing of the text gets lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 60 }), (text, width) => {
      const rows = wrapped(text, width)
      for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(width)
      const letters = (of: string): string => of.replace(/\s/g, '')
      expect(letters(rows.join(''))).toBe(letters(wrapped(text, 1e6).join('')))
    }),
  )
  expect(wrapped('one two three', 8)).toEqual(['one two', 'three'])
  expect(wrapped('日本語のテキスト', 7)).toEqual(['日本語', 'のテキ', 'スト'])
  expect(wrapped('a\u001b[2J\tb', 80)).toEqual(['a‹U+001B›[2J    b'])
})

test.each([40, 60, 80])('at %s columns keys, help, conversations and answers fit the width', (columns) => {
  const waiting = { ...session(0), from: 'a-team-with-a-long-name', waitsForPermission: 'Bash', queueLength: 2 }
  const busy: Seen = { ...seen, sessions: new Map([['s0', waiting]]), questions: [question('ls')] }
  const shown: readonly Partial<Shown>[] = [
    { seen: busy },
    { seen: { ...seen, sessions: new Map() } },
    { seen: busy, view: { ...firstView, isHelp: true } },
    ...panes.map((pane) => ({ seen: busy, view: opened(pane) })),
    { seen, view: opened('questions') },
  ]
  for (const each of shown) expect(rowsOf(each, columns).filter((row) => widthOf(row) > columns)).toEqual([])
})

test('the titles of two conversations of one pair differ at 80 columns, however long their names are', () => {
  const of = (thread: string, index: number): SwitchboardSession => ({
    ...session(index),
    from: 'a-team-with-a-long-name',
    to: 'another-team-with-one',
    thread,
  })
  for (const threads of [
    ['main', 'review-1', 'review-2'],
    [`${'a-long-thread-'.repeat(4)}1`, `${'a-long-thread-'.repeat(4)}2`],
  ]) {
    const sessions = new Map(threads.map((thread, index) => [`s${index}`, of(thread, index)]))
    const rows = rowsOf({ seen: { ...seen, sessions, works: new Map() } }).filter((row) => /^(❯ | {2})a-t/.test(row))
    const names = rows.map((row) => row.slice(2, 34))
    expect(new Set(names).size).toBe(threads.length)
    for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(80)
  }
})
