import type { AgentKind } from './contract/agents.ts'

/**
 * Globs, relative to the project: what a specialist may write, and what it may only read. A file that both lists match
 * may be written. A glob with `!` in front excludes from its list.
 */
export interface WorkPatterns {
  readonly writePatterns: readonly string[]
  readonly readOnlyPatterns: readonly string[]
}

interface Globs {
  readonly source: readonly string[]
  readonly tests: readonly string[]
}

const globs: Readonly<Record<string, Globs>> = {
  TypeScript: { source: ['**/*.{ts,tsx,mts,cts}'], tests: ['**/*.{test,spec}.{ts,tsx,mts,cts}', '**/__tests__/**'] },
  JavaScript: { source: ['**/*.{js,jsx,mjs,cjs}'], tests: ['**/*.{test,spec}.{js,jsx,mjs,cjs}', '**/__tests__/**'] },
  Python: { source: ['**/*.py'], tests: ['**/test_*.py', '**/*_test.py', '**/conftest.py'] },
  Go: { source: ['**/*.go'], tests: ['**/*_test.go', '**/testdata/**'] },
  Rust: { source: ['**/*.rs'], tests: ['**/tests/**/*.rs'] },
}
const anyLanguage: Globs = { source: ['**/*'], tests: ['**/test/**', '**/tests/**'] }

const docs = ['docs/**', '**/*.md']
const wholeTests = ['test/**', 'tests/**', 'e2e/**']
const everything = ['**/*']

export function workPatterns(kind: AgentKind, languages: readonly string[]): WorkPatterns {
  const known = languages.flatMap((language) => globs[language] ?? [])
  const used = known.length > 0 ? known : [anyLanguage]
  const source = used.flatMap((language) => language.source)
  const tests = used.flatMap((language) => language.tests)
  const [writePatterns, readOnlyPatterns] = patternsOf(kind, source, tests)
  return { writePatterns, readOnlyPatterns }
}

type Lists = readonly [write: readonly string[], readOnly: readonly string[]]

function patternsOf(kind: AgentKind, source: readonly string[], tests: readonly string[]): Lists {
  switch (kind) {
    case 'tech-writer':
      return [docs, source]
    case 'unit-tester':
      return [tests, source]
    case 'integration-tester':
      return [[...wholeTests, ...tests], source]
    case 'code-reviewer':
      return [[], everything]
    case 'changeloger':
      return [['CHANGELOG.md'], everything]
    case 'example-writer':
      return [['examples/**', 'README.md'], source]
    case 'debugger':
    case 'error-handler':
      return [[...source, ...tests], []]
    case 'refactorer':
    case 'logger':
      return [[...source, ...tests.map((glob) => `!${glob}`)], tests]
  }
}
