import { Refusal } from './refusal.ts'
import { isNewer } from './version.ts'

const unreleased = '## [Unreleased]'
const releasedHeading = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/
const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']

/** What breaks the form of Keep a Changelog 1.1.0, as sentences. */
export function changelogMistakes(text: string): readonly string[] {
  const lines = text.split('\n')
  const sections = lines.filter((line) => line.startsWith('## '))
  const kindsUsed = lines.filter((line) => line.startsWith('### '))
  const versions = releasedVersions(text)
  return [
    ...(lines[0] === '# Changelog' ? [] : ['The first line is not "# Changelog".']),
    ...(sections[0] === unreleased ? [] : [`The first section is not "${unreleased}".`]),
    ...sections
      .slice(1)
      .filter((line) => !releasedHeading.test(line))
      .map((line) => `"${line}" is not of the form "## [1.2.0] - 2026-01-31".`),
    ...kindsUsed
      .filter((line) => !kinds.includes(line.slice('### '.length)))
      .map((line) => `"${line}" is none of ${kinds.join(', ')}.`),
    ...versions
      .slice(1)
      .flatMap((version, index) =>
        isNewer(versions[index]!, version) ? [] : [`${version} stands below ${versions[index]}, which is not newer.`],
      ),
  ]
}

/** The newest first. */
export function releasedVersions(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => releasedHeading.exec(line)?.[1] ?? [])
}

/** Turns what is unreleased into the section of that version. Throws a `Refusal` where there is nothing to release. */
export function releaseChangelog(text: string, version: string, date: string): string {
  const [mistake] = changelogMistakes(text)
  if (mistake !== undefined) throw new Refusal(`CHANGELOG.md: ${mistake}`)
  if (!/^- /m.test(notesOf(text, unreleased))) {
    throw new Refusal(`CHANGELOG.md has nothing under ${unreleased}. Write there what the release changes.`)
  }
  return text.replace(unreleased, `${unreleased}\n\n## [${version}] - ${date}`)
}

/** What stands below a heading, up to the next section. */
function notesOf(text: string, heading: string): string {
  const start = text.indexOf(heading) + heading.length
  const end = text.indexOf('\n## ', start)
  return text.slice(start, end === -1 ? undefined : end).trim()
}
