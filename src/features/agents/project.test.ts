import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectInMemory, projectOf } from '../../../test/support/project-files.ts'
import { type Files, projectTree } from '../../../test/support/project-tree.ts'
import { discoverProject } from './project.ts'
import { type Project, ProjectReader } from './project-reader.ts'

interface Found extends Record<string, unknown> {
  readonly warnings: readonly string[]
}

async function discovered(directory: string): Promise<Found> {
  return discoveredOf(projectOf(directory))
}

async function discoveredOf(project: Project): Promise<Found> {
  const reader = new ProjectReader(project)
  return { ...(await discoverProject(reader, 'unit-tester', false)), warnings: reader.warnings }
}

async function discover(files: Files): Promise<Found> {
  using tree = projectTree(files)
  return await discovered(tree.path)
}

const packages = (...names: string[]) => ({ 'package.json': { dependencies: versions(names) } })
const devPackages = (...names: string[]) => ({ 'package.json': { devDependencies: versions(names) } })

function versions(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '1.0.0']))
}

test('everything that a project tells is found', async () => {
  const project = {
    'package.json': {
      name: '@shop/web',
      version: '2.1.0',
      dependencies: { next: '15.0.0', react: '19.0.0' },
      devDependencies: { typescript: '6.0.3', vitest: '5.1.1' },
    },
    'CLAUDE.md': '# Web\n\nUse British English.\n',
    '.iris/context.yaml': 'instructions: Be brief.\nunit-tester: |\n  No snapshots.\ndocStyle: { tone: plain }\n',
  }
  expect(await discover(project)).toEqual({
    projectName: '@shop/web',
    version: '2.1.0',
    language: 'TypeScript',
    languages: ['TypeScript'],
    hasTypeScript: true,
    framework: 'Next.js',
    testingFramework: 'Vitest',
    dependencies: { next: '15.0.0', react: '19.0.0' },
    devDependencies: { typescript: '6.0.3', vitest: '5.1.1' },
    writePatterns: ['**/*.{test,spec}.{ts,tsx,mts,cts}', '**/__tests__/**'],
    readOnlyPatterns: ['**/*.{ts,tsx,mts,cts}'],
    claudeMd: '# Web\n\nUse British English.',
    customVars: { instructions: 'Be brief.', 'unit-tester': 'No snapshots.\n', docStyle: { tone: 'plain' } },
    instructions: ['Be brief.', 'No snapshots.'],
    warnings: [],
  })
})

test('of an empty directory only its name is known', async () => {
  using tree = projectTree({ 'shop/README.txt': '' })
  expect(await discovered(join(tree.path, 'shop'))).toEqual({
    projectName: 'shop',
    languages: [],
    hasTypeScript: false,
    writePatterns: ['**/test/**', '**/tests/**'],
    readOnlyPatterns: ['**/*'],
    instructions: [],
    warnings: [],
  })
})

describe('the framework is the most specific one', () => {
  test.each([
    ['Next.js', packages('react', 'express', 'next')],
    ['Nuxt', packages('vue', 'nuxt')],
    ['NestJS', packages('express', 'fastify', '@nestjs/core')],
    ['SvelteKit', devPackages('svelte', '@sveltejs/kit', 'vite')],
    ['Remix', packages('react', '@remix-run/react')],
    ['Expo', packages('react', 'react-native', 'expo')],
    ['Astro', packages('react', 'astro')],
    ['Angular', packages('@angular/core', 'rxjs')],
    ['React', packages('react', 'react-dom')],
    ['React', { 'package.json': { peerDependencies: { react: '>=18' } } }],
    ['Vue', packages('vue')],
    ['Fastify', packages('fastify')],
    ['Express', packages('express')],
    [undefined, packages('lodash')],
    [undefined, { 'package.json': { dependencies: { 'react-icons': '5' } } }],
    ['FastAPI', { 'pyproject.toml': '[project]\nname = "flask"\ndependencies = [\n  "fastapi>=0.115",\n]\n' }],
    [undefined, { 'pyproject.toml': '[project]\nname = "flask"\n' }],
    ['Django', { 'requirements.txt': '# flask was here\nDjango==5.1\n' }],
    [undefined, { 'requirements.txt': 'flask-like==1\n' }],
    ['Gin', { 'go.mod': 'module example.com/shop\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.10.0\n)\n' }],
    ['Axum', { 'Cargo.toml': '[package]\nname = "shop"\n\n[dependencies]\naxum = "0.8"\n' }],
  ])('%s for %j', async (framework, files) => {
    expect((await discoveredOf(projectInMemory(files)))['framework']).toBe(framework)
  })
})

describe('what runs the tests is found, never guessed', () => {
  test.each([
    ['Vitest', devPackages('@playwright/test', 'vitest')],
    ['Jest', devPackages('ts-jest')],
    ['Mocha', devPackages('mocha', 'chai')],
    ['Playwright', devPackages('@playwright/test')],
    ['node:test', { 'package.json': { scripts: { test: 'node --import tsx --test' } } }],
    [undefined, { 'package.json': { scripts: { test: 'node test.js' } } }],
    ['pytest', { 'pyproject.toml': '[dependency-groups]\ndev = ["pytest"]\n' }],
    ['go test', { 'go.mod': 'module shop\n' }],
    ['cargo test', { 'Cargo.toml': '[package]\nname = "shop"\n' }],
  ])('%s for %j', async (testingFramework, files) => {
    expect((await discoveredOf(projectInMemory(files)))['testingFramework']).toBe(testingFramework)
  })
})

test.each([
  [['TypeScript'], true, { ...packages('react'), 'tsconfig.json': '{ // a note\n}' }],
  [['TypeScript'], true, devPackages('typescript')],
  [['JavaScript'], false, packages('react')],
  [['TypeScript', 'Python', 'Rust'], true, { 'tsconfig.json': '', 'Cargo.toml': '', 'setup.py': '' }],
  [['Go'], false, { 'go.mod': 'module example.com/shop/v2\n' }],
])('the languages are %j, with TypeScript: %s', async (languages, hasTypeScript, files) => {
  expect(await discoveredOf(projectInMemory(files))).toMatchObject({
    languages,
    language: languages[0],
    hasTypeScript,
    warnings: [],
  })
})

test.each([
  ['web', { 'package.json': { name: 'web' }, 'go.mod': 'module other\n' }],
  ['shop', { 'go.mod': 'module example.com/team/shop\n\ngo 1.25\n' }],
  ['shop', { 'Cargo.toml': '[package]\nversion = "1"\nname = "shop"\n' }],
  ['shop', { 'pyproject.toml': '[build-system]\nname = "no"\n\n[tool.poetry]\r\nname = \'shop\'\r\n' }],
])('the project is called %s', async (projectName, files) => {
  expect((await discoveredOf(projectInMemory(files)))['projectName']).toBe(projectName)
})

describe('a file that cannot be used fails nothing and is named', () => {
  const long = 'x'.repeat(2_000_000)
  test.each<[string, Files, string]>([
    ['no JSON', { 'package.json': '{"name": }' }, 'package.json is not used: it is not JSON.'],
    ['a list', { 'package.json': '[]' }, 'package.json is not used: it is not a JSON object.'],
    ['deep JSON', { 'package.json': '['.repeat(500_000) }, 'package.json is not used: it is not JSON.'],
    [
      'dependencies in a list',
      { 'package.json': { dependencies: ['react'] } },
      'package.json: dependencies is not used: it is not a JSON object.',
    ],
    ['large JSON', { 'package.json': { long } }, 'package.json is not used: it is larger than 1048576 bytes.'],
    ['no text', { 'CLAUDE.md': Buffer.from([0xff, 0xfe]) }, 'CLAUDE.md is not used: it is not text in UTF-8.'],
    ['a directory', { 'CLAUDE.md/x': '' }, 'CLAUDE.md is not used: it is not a file.'],
    [
      'no YAML',
      { '.iris/context.yaml': 'a: 1\nb: [1\nc: "x' },
      expect.stringMatching(/^\.iris\/context\.yaml is not used: line \d: this is not YAML\.$/),
    ],
    [
      'YAML that is a list',
      { '.iris/context.yaml': '- a' },
      '.iris/context.yaml is not used: it is not a mapping from names to values.',
    ],
    ...(
      [
        ['deep YAML', `a: ${'['.repeat(13)}${']'.repeat(13)}`],
        ['very deep YAML', `a: ${'['.repeat(16_000)}${']'.repeat(16_000)}`],
        ['YAML that multiplies', multiplying()],
        ['YAML that holds itself', 'a: &a [*a]'],
        ['a key that is a tree', `${'? '.repeat(5000)}a`],
      ] as const
    ).map(([what, yaml]): [string, Files, string] => [
      what,
      { '.iris/context.yaml': yaml },
      expect.stringMatching(
        /^\.iris\/context\.yaml is not used: (it is too large, or nested|line 1: this is not YAML)/,
      ),
    ]),
    [
      'large YAML',
      { '.iris/context.yaml': `a: ${long}` },
      '.iris/context.yaml is not used: it is larger than 32768 bytes.',
    ],
  ])('%s', async (_what, files, warning) => {
    const { projectName, warnings, customVars, claudeMd } = await discover(files)
    expect(warnings).toEqual([warning])
    expect(projectName).toMatch(/^iris-test-/)
    expect([customVars, claudeMd]).toEqual([undefined, undefined])
  })

  test.each(['CLAUDE.md', 'package.json', 'requirements.txt', '.iris/context.yaml'])(
    'a named pipe %s does not keep it waiting',
    async (name) => {
      using tree = projectTree({ '.iris/other': '' })
      execFileSync('mkfifo', [join(tree.path, name)])
      expect((await discovered(tree.path)).warnings).toEqual([`${name} is not used: it is not a file.`])
    },
  )

  test.each(['CLAUDE.md', 'package.json'])('a device %s is not read, however much it has to say', async (name) => {
    using tree = projectTree({ [name]: '' })
    const mountDevice = 'mount --bind /dev/zero "$0" && exec "$@"'
    const by = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mountDevice, join(tree.path, name)]
    const found = await discoveredOf(projectOf(tree.path, { by, ownProcesses: false }))
    expect(found.warnings).toEqual([`${name} is not used: it is not a file.`])
  })

  test('a link that leads out of the project, by itself or by its directory', async () => {
    using secrets = projectTree({ 'key.md': 'secret', 'context.yaml': 'instructions: secret' })
    using tree = projectTree({ 'own.json': { name: 'linked' } })
    symlinkSync(join(secrets.path, 'key.md'), join(tree.path, 'CLAUDE.md'))
    symlinkSync(secrets.path, join(tree.path, '.iris'))
    symlinkSync('own.json', join(tree.path, 'package.json'))
    const found = await discovered(tree.path)
    expect(found.projectName).toBe('linked')
    expect(found.warnings.toSorted()).toEqual([
      '.iris/context.yaml is not used: it is a link that leads out of the project.',
      'CLAUDE.md is not used: it is a link that leads out of the project.',
    ])
    expect(JSON.stringify(found)).not.toContain('secret')
  })
})

test('of CLAUDE.md the first 32 KB are taken, without half a character', async () => {
  const { claudeMd, warnings } = await discover({ 'CLAUDE.md': `x${'é'.repeat(20_000)}` })
  expect(claudeMd).toBe(`x${'é'.repeat(16_383)}`)
  expect(warnings).toEqual([])
})

/** Four lists, each of which holds the one before it fifty times. */
function multiplying(): string {
  const lists = Array.from({ length: 4 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(50)}]`)
  return ['l0: &l0 [x]', ...lists].join('\n')
}
