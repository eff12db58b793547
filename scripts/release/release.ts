import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { dumpStore } from '../../test/stores/dump.ts'
import { exampleStore } from '../../test/stores/example-store.ts'
import { releaseChangelog, releasedVersions } from './changelog.ts'
import { git, run } from './command.ts'
import { writeDerivedFiles } from './derived-files.ts'
import { Refusal } from './refusal.ts'
import { checkVersion, isNewer } from './version.ts'
import { WorkCopy } from './work-copy.ts'

export interface Release {
  /** The checkout. */
  readonly root: string
  /** The version, and `--dry-run`. */
  readonly args: readonly string[]
  /** As in 2026-01-31. */
  readonly today: string
  readonly say: (line: string) => void
}

const branchOfReleases = 'main'
const usage = 'Say which version: npm run release -- 1.2.0 [--dry-run]'

/** Makes a release up to what leaves the machine, which it prints for a person. Throws a `Refusal`. */
export function release({ root, args, today, say }: Release): void {
  const isDryRun = args.includes('--dry-run')
  const [version, ...more] = args.filter((arg) => arg !== '--dry-run')
  if (version === undefined || more.length > 0) throw new Refusal(usage)
  checkVersion(version)
  checkCheckout(root, version)
  const changelog = releaseChangelog(changelogOf(root), version, today)

  using copy = new WorkCopy(root)
  writeRelease(copy.path, version, changelog)
  say('Testing upgrades from the stores of all versions…')
  run(copy.path, 'vitest', 'run', '--project', 'fast', 'test/stores', 'test/release')
  say('Building and packing…')
  const tarball = pack(copy.path)
  checkPublishing(copy.path, tarball)

  const commit = git(copy.path, 'rev-parse', 'HEAD')
  say(git(copy.path, 'show', '--stat', '--format=%s', commit))
  if (isDryRun) return say(`Dry run: ${version} can be released. Nothing was changed.`)
  git(root, 'merge', '--ff-only', commit)
  git(root, 'tag', '--annotate', '--message', `Iris ${version}`, tagOf(version), commit)
  copyFileSync(join(copy.path, tarball), join(root, tarball))
  say(nextSteps(version, tarball))
}

function tagOf(version: string): string {
  return `v${version}`
}

function changelogOf(root: string): string {
  return readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
}

function checkCheckout(root: string, version: string): void {
  const branch = git(root, 'branch', '--show-current')
  if (branch !== branchOfReleases) {
    throw new Refusal(`A release is made on ${branchOfReleases}, and this is ${branch || 'no branch'}.`)
  }
  const changes = git(root, 'status', '--porcelain')
  if (changes !== '') throw new Refusal(`There are changes that are not committed:\n${changes}`)
  if (git(root, 'tag', '--list', tagOf(version)) !== '') throw new Refusal(`There is a tag ${tagOf(version)} already.`)
  const [newest] = releasedVersions(changelogOf(root))
  if (newest !== undefined && !isNewer(version, newest)) {
    throw new Refusal(`${version} is not newer than ${newest}, the last version in CHANGELOG.md.`)
  }
}

/** Everything that names the version, the store that this version leaves behind, and their commit. */
function writeRelease(root: string, version: string, changelog: string): void {
  const manifest = join(root, 'package.json')
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, text.replace(/"version": "[^"]*"/, `"version": "${version}"`))
  writeDerivedFiles(root)
  writeFileSync(join(root, 'CHANGELOG.md'), changelog)
  using store = exampleStore()
  const fixture = join('test/stores', `released-${version}.sql`)
  writeFileSync(join(root, fixture), dumpStore(store))
  run(root, 'node', 'scripts/generate.ts', '--released')
  git(root, 'add', '--update')
  git(root, 'add', fixture)
  git(root, 'commit', '--message', `Release ${version}`)
}

/** As `npm pack` does with its scripts, without their set-up: the copy shares the dependencies of the checkout. */
function pack(root: string): string {
  run(root, 'node', 'scripts/build.ts')
  run(root, 'node', 'scripts/packed-manifest.ts')
  const { stdout } = run(root, 'npm', 'pack', '--ignore-scripts', '--json')
  run(root, 'node', 'scripts/packed-manifest.ts', '--put-back')
  const [packed] = JSON.parse(stdout) as readonly { readonly filename: string }[]
  return basename(packed?.filename ?? '')
}

/** A dry run needs no login, of which npm warns, and no registry, for which npm would wait a minute where there is no network. */
function checkPublishing(root: string, tarball: string): void {
  const { stderr } = run(root, 'npm', 'publish', '--dry-run', '--fetch-retries=0', tarball)
  const warnings = stderr
    .split('\n')
    .filter((line) => line.startsWith('npm warn publish') && !line.includes('logged in'))
  if (warnings.length > 0) throw new Refusal(`npm publish --dry-run warns:\n${warnings.join('\n')}`)
}

function nextSteps(version: string, tarball: string): string {
  return [
    '',
    `Committed and tagged ${tagOf(version)}, packed ${tarball}. Nothing has left this machine. What is left for a person:`,
    '',
    `  git push origin ${branchOfReleases} ${tagOf(version)}    # then wait until CI is green`,
    `  npm publish ${tarball}`,
    '  mcp-publisher publish    # server.json, for the MCP registry',
  ].join('\n')
}
