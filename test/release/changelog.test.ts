import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { changelogMistakes, releaseChangelog, releasedVersions } from '../../scripts/release/changelog.ts'

const text = [
  '# Changelog',
  '',
  '## [Unreleased]',
  '',
  '### Added',
  '',
  '- One.',
  '',
  '## [1.2.0] - 2026-01-31',
  '',
].join('\n')

test('the changelog of Iris has the form of Keep a Changelog', () => {
  expect(changelogMistakes(readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'))).toEqual([])
})

test('what is unreleased becomes the section of the version', () => {
  const released = releaseChangelog(text, '1.10.0', '2026-02-28')
  expect(released.split('\n').slice(2, 9)).toEqual([
    '## [Unreleased]',
    '',
    '## [1.10.0] - 2026-02-28',
    '',
    '### Added',
    '',
    '- One.',
  ])
  expect(releasedVersions(released)).toEqual(['1.10.0', '1.2.0'])
  expect(changelogMistakes(released)).toEqual([])
})

test('a changelog with nothing unreleased is not released', () => {
  expect(() => releaseChangelog(text.replace('- One.', ''), '1.3.0', '2026-02-28')).toThrow(
    'CHANGELOG.md has nothing under ## [Unreleased].',
  )
})

test.each([
  [text.replace('# Changelog', '# Changes'), 'The first line is not "# Changelog".'],
  [text.replace('## [Unreleased]', '## Unreleased'), 'The first section is not "## [Unreleased]".'],
  [text.replace(' - 2026-01-31', ''), '"## [1.2.0]" is not of the form "## [1.2.0] - 2026-01-31".'],
  [text.replace('### Added', '### New'), '"### New" is none of Added, Changed, Deprecated, Removed, Fixed, Security.'],
  [`${text}\n## [1.10.0] - 2026-02-28`, '1.10.0 stands below 1.2.0, which is not newer.'],
])('%j is not of the form', (broken, mistake) => {
  expect(changelogMistakes(broken)).toContain(mistake)
  expect(() => releaseChangelog(broken, '2.0.0', '2026-03-01')).toThrow('CHANGELOG.md: ')
})
