import { expect, test } from 'vitest'
import claudeNames from './architecture/claude-in-kernel.json' with { type: 'json' }
import { importCycles } from './architecture/cycles.ts'
import { dashboardBreaches } from './architecture/dashboard-layers.ts'
import { handmadeFigureBreaches, literalTextBreaches, unusedTextBreaches } from './architecture/dashboard-texts.ts'
import { eagerBreaches } from './architecture/eager.ts'
import { fileAccessBreaches } from './architecture/file-access.ts'
import {
  claudeFlagBreaches,
  consoleBreaches,
  hastyLooks,
  proxiedRequests,
  rawDatabaseBreaches,
  rxjsBreaches,
  shellBreaches,
  spreadLiterals,
} from './architecture/habits.ts'
import {
  claudeInKernel,
  floors,
  importBreaches,
  tableBreaches,
  tableOrderBreaches,
} from './architecture/import-table.ts'
import { ownershipBreaches } from './architecture/ownership.ts'
import { longSentences, readPages } from './architecture/sentences.ts'
import { fileSizeBreaches, functionSizeBreaches } from './architecture/sizes.ts'
import { readFolders, readSourceFiles, readSpecs, type SourceFile } from './architecture/source-file.ts'
import { readTexts, retiredPhrases, retiredWords } from './architecture/words.ts'

const files = readSourceFiles()

test('the rules have files to judge', () => {
  expect(files.length).toBeGreaterThan(20)
})

test('a folder imports only from the floors below', () => {
  expect(importBreaches(files)).toEqual([])
})

test('the kernel knows of Claude Code only what claude-in-kernel.json lists, which may only shrink', () => {
  expect(claudeInKernel(files)).toEqual(claudeNames)
  const line = "import { type A, b as c } from '../../claude/driver/x.ts'"
  expect(claudeInKernel([file('src/kernel/pool/x.ts', line), file('src/kernel/pool/x.test.ts', line)])).toEqual([
    'src/claude/driver/x.ts A',
    'src/claude/driver/x.ts b',
  ])
})

test('the dashboard knows the protocol of Iris and no more, and no screen another one', () => {
  expect(dashboardBreaches(files)).toEqual([])
})

test('what config.yaml switches on is loaded only then', () => {
  expect(eagerBreaches(files)).toEqual([])
  const eager = "import { TraceExport } from './otlp/trace-export.ts'"
  expect(eagerBreaches([file('src/features/traces/trace-link.ts', eager)])).toHaveLength(1)
})

test.each([
  ['dashboard/src/features/logs/logs-screen.tsx', '../../../../src/pool/pool.ts'],
  ['dashboard/src/features/logs/logs-screen.tsx', '../trace/trace-screen.tsx'],
  ['dashboard/src/shared/ui/button.tsx', '../../app/router.tsx'],
])('caught: %s imports %s', (path, imported) => {
  expect(dashboardBreaches([file(path, `import { x } from '${imported}'`)])).toHaveLength(1)
})

test('the texts of the dashboard are in one file for each part of it, so that they can be translated', () => {
  expect(literalTextBreaches(files)).toEqual([])
  expect(unusedTextBreaches(files)).toEqual([])
  expect(handmadeFigureBreaches(files)).toEqual([])
})

test.each([
  '<p>Nothing waits.</p>',
  '<p>{count} turns</p>',
  "<p>{isOpen ? 'Hide' : texts.show}</p>",
  '<Icon aria-label={`Remove ${name}`} />',
  '<Screen title="Inbox" />',
  "<p>{thread === '' || 'No thread'}</p>",
])('a text outside of texts.ts is caught: %s', (jsx) => {
  expect(literalTextBreaches([file('dashboard/src/features/logs/x.tsx', `const x = ${jsx}`)])).toHaveLength(1)
})

test.each([
  "const titles = { wake: 'Wake' }",
  "const kinds = { team: { word: 'queue' } }",
  "const words: Readonly<Record<State, string>> = { completed: 'answered' }",
  "const columns = ['Begins after']",
  'steps.push(`waited ${duration}`)',
  "return count === 1 ? '1 conversation' : `${count} conversations`",
  "tell('Nothing was saved.')",
  'const pair = `${from} to ${to}`',
  "switch (verb) { case 'cancel': return 'The process stays.' }",
])('a text outside of JSX is caught: %s', (code) => {
  expect(literalTextBreaches([file('dashboard/src/features/logs/x.ts', code)]).length).toBeGreaterThan(0)
})

test.each([
  "import { x } from './Some File.ts'",
  "const isUp = event.key === 'ArrowUp'",
  "const look = 'border border-dashed border-muted'",
  "const isDark = matchMedia('(prefers-color-scheme: dark)')",
  "throw new Error('This is shown outside of its provider.')",
  "type Kind = 'Action' | 'Team'",
  'const place = `iris-draft ${to} ${thread}`',
])('no text is seen in: %s', (code) => {
  expect(literalTextBreaches([file('dashboard/src/features/logs/x.ts', code)])).toEqual([])
})

test.each(['value.toFixed(1)', 'at.toLocaleString()', 'new Intl.NumberFormat()', 'const shown = `${ms} ms`'])(
  'a figure that is put together by hand is caught: %s',
  (code) => {
    expect(handmadeFigureBreaches([file('dashboard/src/features/logs/x.ts', code)])).toHaveLength(1)
  },
)

test('every folder of src is in the table of floors', () => {
  expect(tableBreaches(readFolders())).toEqual([])
})

test('a folder names only folders before it on its floor', () => {
  expect(tableOrderBreaches()).toEqual([])
})

test('no file imports itself in a ring', () => {
  expect(importCycles(files)).toEqual([])
})

test('no file has over 400 lines, and nine in ten have under 200', () => {
  expect(fileSizeBreaches(files)).toEqual([])
})

test('no function has over 90 lines', () => {
  expect(functionSizeBreaches(files)).toEqual([])
})

test('no literal is spread into another one', () => {
  expect(spreadLiterals([...files, ...readSpecs()])).toEqual([])
  expect(spreadLiterals([file('src/a.ts', 'const a = { ...{ b: 1 }, c: [...[2, 3], 4] }', 'f(...[a], ...b)')])).toEqual(
    ['src/a.ts:1 spreads a literal: write what it contains', 'src/a.ts:1 spreads a literal: write what it contains'],
  )
})

test('no child is started through a shell', () => {
  expect(shellBreaches(files)).toEqual([])
})

test('nothing but cli and demo writes to the console', () => {
  expect(consoleBreaches(files)).toEqual([])
})

test('only the folder claude knows the flags of Claude Code', () => {
  expect(claudeFlagBreaches(files)).toEqual([])
})

test('only the worker of a session changes its turns and its queue', () => {
  expect(ownershipBreaches(files)).toEqual([])
})

test.each([
  ['src/kernel/pool/launch.ts', "import { OwnedTurn } from '../turn/owned-turn.ts'"],
  [
    'src/features/messages/handlers/messages.ts',
    "import type { SessionWorker } from '../../../kernel/queue/session-worker.ts'",
  ],
  ['src/features/messages/handlers/wait.ts', "import type { Turn } from '../../../kernel/turn/turn.ts'"],
  ['src/features/conversations/handlers/fork.ts', "import type { Session } from '../../../kernel/session/session.ts'"],
  ['src/kernel/turn/turn.ts', 'export interface Turn { readonly id: string; delivery: string }'],
])('caught: %s has %s', (path, line) => {
  expect(ownershipBreaches([file(path, line)])).toHaveLength(1)
})

test('only a Store writes to a database', () => {
  expect(rawDatabaseBreaches(files)).toEqual([])
})

test.each([
  ['src/app/doctor/store.ts', 'new DatabaseSync(path)'],
  ['src/features/search/search-index.ts', "index.prepare('INSERT INTO texts VALUES (?) RETURNING id').get(1)"],
])('caught: %s writes with %s', (path, line) => {
  expect(rawDatabaseBreaches([file(path, line)])).toHaveLength(1)
})

test('the daemon loads of rxjs what it uses', () => {
  expect(rxjsBreaches(files)).toEqual([])
  const whole = "import { Subject } from 'rxjs'"
  expect(rxjsBreaches([file('src/app/daemon/compose.ts', whole)])).toHaveLength(1)
  expect(rxjsBreaches([file('src/app/daemon/ring.ts', "import type { Observable } from 'rxjs'")])).toEqual([])
})

test('where agents write only the folder machine touches files or starts programs', () => {
  expect(fileAccessBreaches(files)).toEqual([])
})

test.each([
  "import { readFile } from 'node:fs/promises'",
  "import { stat } from 'fs'",
  "const { openSync } = await import('node:fs')",
  "import { execFile } from 'node:child_process'",
  "const { spawn } = process.getBuiltinModule('node:child_process')",
])('caught: %s without a reason, and a reason without a user', (line) => {
  const table = { 'src/platform/store/': 'its own' }
  const own = file('src/platform/store/store.ts', "import { open } from 'node:fs'")
  expect(fileAccessBreaches([own, file('src/features/agents/git-diff.ts', line)], table)).toEqual([
    'src/features/agents/git-diff.ts touches files or starts programs; where agents write that is for src/platform/machine',
  ])
  expect(fileAccessBreaches([file('src/features/agents/git-diff.test.ts', line)], table)).toEqual([
    'src/platform/store/ touches no files any more: take it out of the table',
  ])
})

test('a test of the browser waits for what it looks for', () => {
  expect(hastyLooks(readSpecs())).toEqual([])
  const browser = "import { TestBrowser } from '../support/browser.ts'"
  const hasty = (line: string) => hastyLooks([file('test/spec/dashboard.test.ts', browser, line)])
  expect(hasty("expect(await page.getByText('None yet.').count()).toBe(0)")).toHaveLength(1)
  expect(hasty("await expect.poll(() => page.getByText('None yet.').count()).toBe(0)")).toHaveLength(1)
  expect(hasty("await eventually(async () => (await page.title()) === 'Inbox', 'the title')")).toHaveLength(1)
  expect(hasty("await count(page.getByText('None yet.'), 0)")).toEqual([])
  expect(hasty("await eventually(() => existsSync(file), 'the file')")).toEqual([])
})

test('nothing that stays on this machine goes through a proxy', () => {
  expect(proxiedRequests(files)).toEqual([])
  const line = 'const answer = await fetch(`${url}/stop`)'
  expect(proxiedRequests([file('src/app/cli/daemon-control.ts', line)])).toEqual([
    'src/app/cli/daemon-control.ts:1 uses fetch, which may go through a proxy; use src/adapters/client/send.ts',
  ])
})

test('code and pages use the terms of the field, not words of our own', () => {
  expect(retiredWords(readTexts())).toEqual([])
})

test.each([
  ['  readonly #upkeep = 1', 'upkeep', 'context maintenance'],
  ['class SessionLane {', 'lane', 'session worker'],
  ['It is Mended by the next start.', 'mended', 'fixed'],
])('caught: %s', (line, word, term) => {
  expect(retiredWords([['src/a.ts', line]])).toEqual([`src/a.ts:1 says "${word}"; say ${term}`])
})

test('pages and code use none of the phrases that readers stumbled over', () => {
  expect(retiredPhrases(readTexts())).toEqual([])
})

test('no sentence of a page has over 25 words', () => {
  expect(longSentences(readPages())).toEqual([])
})

test('not caught: longer words that a retired one is part of', () => {
  expect(retiredWords([['src/a.ts', 'interface Recommended { surface: Preface; planes: 1; indeed: 2 }']])).toEqual([])
})

function file(path: string, ...lines: readonly string[]): SourceFile {
  return { path, text: `${lines.join('\n')}\n` }
}

function lines(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `const line${index} = ${index}`)
}

test.each([
  ['a value', "import { pool } from '../../kernel/pool/pool.ts'"],
  ['a type', "import type { Pool } from '../../kernel/pool/pool.ts'"],
  ['for its effect', "import '../../kernel/pool/pool.ts'"],
  ['over several lines', "import {\n  pool,\n} from '../../kernel/pool/pool.ts'"],
  ['by exporting it again', "export { pool } from '../../kernel/pool/pool.ts'"],
  ['by exporting all of it', "export * from '../../kernel/pool/pool.ts'"],
  ['later', "const { pool } = await import('../../kernel/pool/pool.ts')"],
  ['inside a type', "type Pool = import('../../kernel/pool/pool.ts').Pool"],
])('caught: importing upwards %s', (_how, line) => {
  expect(importBreaches([file('src/claude/driver/process.ts', line)])).toEqual([
    'src/claude/driver/process.ts imports src/kernel/pool/pool.ts; kernel is above claude',
  ])
})

test.each([
  ['src/base/lib/clock.ts', 'src/base/protocol/turn.ts', 'on its floor lib may import nothing'],
  ['src/kernel/pool/pool.ts', 'src/kernel/turn/ask.ts', 'on its floor pool may import session'],
  [
    'src/adapters/mcp/http.ts',
    'src/kernel/pool/pool.ts',
    'of the floors below mcp may import only lib, protocol, operation, contracts, call',
  ],
  ['src/kernel/pool/pool.ts', 'src/misc/pool.ts', 'src/misc/pool.ts is on no floor'],
])('caught: %s imports %s', (path, imported, why) => {
  const line = `import { x } from '../../../${imported}'`
  expect(importBreaches([file(path, line)])).toEqual([`${path} imports ${imported}; ${why}`])
})

test.each([
  ['src/kernel/pool/pool.ts', 'src/kernel/session/session.ts'],
  ['src/kernel/pool/pool.ts', 'src/base/lib/clock.ts'],
  ['src/adapters/mcp/http.ts', 'src/kernel/call/call.ts'],
])('not caught: %s imports %s', (path, imported) => {
  expect(importBreaches([file(path, `import { x } from '../../../${imported}'`)])).toEqual([])
})

test('caught: shipped code that imports a helper of the tests; a test may', () => {
  const line = "import { scratch } from '../../../test/support/scratch.ts'"
  expect(importBreaches([file('src/kernel/pool/pool.test.ts', line)])).toEqual([])
  expect(importBreaches([file('src/kernel/pool/pool.ts', line)])).toEqual([
    'src/kernel/pool/pool.ts imports test/support/scratch.ts; what is shipped stays inside src/',
  ])
})

test('not caught: what only looks like an import', () => {
  const text = [
    "// import { pool } from '../../kernel/pool/pool.ts'",
    "const text = `import x from '../../kernel/pool/pool.ts'`",
  ]
  expect(importBreaches([file('src/claude/driver/process.ts', ...text)])).toEqual([])
})

test('caught: a folder or file of src that is in no line of the table', () => {
  expect(tableBreaches(['base/', 'base/lib/', 'base/helpers/', 'misc/', 'main.ts', 'other.ts'])).toEqual([
    'src/base/helpers/ is not in the table of floors',
    'src/misc/ is not in the table of floors',
    'src/other.ts is not in the table of floors',
  ])
})

test('caught: a folder that names one after it', () => {
  expect(tableOrderBreaches({ ...floors, base: { lib: ['rule'], rule: [] } })).toEqual([
    'lib names rule, which is not before it',
  ])
})

test('caught: a ring of imports, once, types included', () => {
  const ring = [
    file('src/kernel/turn/a.ts', "import { b } from './b.ts'"),
    file('src/kernel/turn/b.ts', "import type { C } from './deep/c.ts'"),
    file('src/kernel/turn/deep/c.ts', "export * from '../a.ts'"),
    file('src/kernel/turn/d.ts', "import { a } from './a.ts'"),
  ]
  expect(importCycles(ring)).toEqual([
    'src/kernel/turn/a.ts → src/kernel/turn/b.ts → src/kernel/turn/deep/c.ts → src/kernel/turn/a.ts',
  ])
  expect(importCycles(ring.slice(1))).toEqual([])
})

test('caught: a file of 401 lines', () => {
  const short = Array.from({ length: 9 }, (_, index) => file(`src/base/lib/${index}.ts`, 'const one = 1'))
  expect(fileSizeBreaches([...short, file('src/base/lib/long.ts', ...lines(400))])).toEqual([])
  expect(fileSizeBreaches([...short, file('src/base/lib/long.ts', ...lines(401))])).toEqual([
    'src/base/lib/long.ts has 401 lines; no file has over 400',
  ])
})

test('caught: more than one file in ten over 200 lines', () => {
  const short = Array.from({ length: 8 }, (_, index) => file(`src/base/lib/${index}.ts`, 'const one = 1'))
  const long = [file('src/base/lib/a.ts', ...lines(201)), file('src/base/lib/b.ts', ...lines(250))]
  expect(fileSizeBreaches([...short, ...long])).toEqual([
    '2 of 10 files have over 200 lines; one in 10 may: src/base/lib/a.ts (201), src/base/lib/b.ts (250)',
  ])
  expect(fileSizeBreaches([...short, file('src/base/lib/a.ts', ...lines(200)), ...long.slice(1)])).toEqual([])
})

test('caught: a function of 91 lines, wherever it stands', () => {
  const method = ['', 'class Pool {', '  evict() {', ...lines(89), '  }', '}']
  const breach = 'src/kernel/pool/pool.ts:3 is a function of 91 lines; none has over 90'
  expect(functionSizeBreaches([file('src/kernel/pool/pool.ts', ...method)])).toEqual([breach])
  expect(functionSizeBreaches([file('src/kernel/pool/pool.ts', ...method.toSpliced(4, 1))])).toEqual([])
  expect(functionSizeBreaches([file('src/kernel/pool/pool.test.ts', ...method)])).toEqual([])
})

test.each([
  ['exec', "import { exec } from 'node:child_process'", 1],
  ['execSync', "import { execSync as run } from 'child_process'", 1],
  ['execSync', "const { execSync } = await import('node:child_process')", 1],
  ['all of child_process: name what is imported', "import * as processes from 'node:child_process'", 1],
  ['the option `shell`', "import { spawn } from 'node:child_process'\nspawn('ls', { shell: true })", 2],
  ['the option `shell`', "import { spawn } from 'node:child_process'\nspawn('ls', { shell: '/bin/sh' })", 2],
  ['the option `shell`', "import { spawn } from 'node:child_process'\nconst shell = true\nspawn('ls', { shell })", 3],
])('caught: %s in %j', (what, text, line) => {
  expect(shellBreaches([file('src/platform/machine/local-system.ts', text)])).toEqual([
    `src/platform/machine/local-system.ts:${line} uses ${what}; children are started without a shell`,
  ])
})

test('not caught: a child without a shell, exec of something else, another thing called shell', () => {
  const spawned = file('src/a.ts', "import { spawn } from 'node:child_process'", "spawn('ls', { shell: false })")
  const queried = file('src/b.ts', "import { exec } from './database.ts'", "exec('select 1', { shell: true })")
  expect(shellBreaches([spawned, queried])).toEqual([])
})

test('caught: console in the daemon, not in cli and demo, not in a comment', () => {
  const line = "console.log('hello')"
  expect(consoleBreaches([file('src/kernel/pool/pool.ts', '// console.log', line)])).toEqual([
    'src/kernel/pool/pool.ts:2 uses console.log; only cli and demo write to the console',
  ])
  expect(consoleBreaches([file('src/app/cli/status.ts', line), file('src/app/demo/demo.ts', line)])).toEqual([])
})

test('caught: a flag of Claude Code outside claude, whole or as the start of a string', () => {
  const whole = "const flag = '--resume'"
  const start = 'const flag = `--session-id=${id}`'
  expect(claudeFlagBreaches([file('src/kernel/pool/spawn.ts', whole, start, "const ours = '--live'")])).toEqual([
    'src/kernel/pool/spawn.ts:1 names --resume; only src/claude/driver knows the flags of Claude Code',
    'src/kernel/pool/spawn.ts:2 names --session-id=; only src/claude/driver knows the flags of Claude Code',
  ])
  expect(
    claudeFlagBreaches([file('src/claude/driver/command-line.ts', whole), file('src/app/demo/demo.ts', start)]),
  ).toEqual([])
})
