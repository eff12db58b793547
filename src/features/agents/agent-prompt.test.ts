import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectInMemory, projectOf } from '../../../test/support/project-files.ts'
import { type Files, projectTree, writeFiles } from '../../../test/support/project-tree.ts'
import { agentPrompt, type PromptRequest } from './agent-prompt.ts'
import { type AgentKind, agentTypes } from './contract/agents.ts'

interface Asked extends Partial<Omit<PromptRequest, 'project'>> {
  readonly directory?: string
  readonly project?: Files
  readonly homeFiles?: Files
}

async function prompt({ project = {}, homeFiles = {}, directory, ...request }: Asked = {}) {
  using home = projectTree(homeFiles)
  const made = await agentPrompt({
    kind: 'debugger',
    project: directory === undefined ? projectInMemory(project) : projectOf(directory),
    home: home.path,
    context: {},
    withGitDiff: false,
    ...request,
  })
  const shown = (text: string) => text.replaceAll(home.path, '/home')
  return { ...made, ...(made.path && { path: shown(made.path) }), warnings: made.warnings.map(shown) }
}

const own = '.iris/templates/debugger.hbs'
const ofHome = 'templates/debugger.hbs'

describe('the template is looked for', () => {
  test('in the project first', async () => {
    const found = await prompt({
      project: { [own]: 'own {{projectName}}', 'package.json': { name: 'shop' } },
      homeFiles: { [ofHome]: 'home' },
    })
    expect(found).toEqual({ prompt: 'own shop\n', source: 'project', path: `/project/${own}`, warnings: [] })
  })

  test('in the home of Iris next', async () => {
    const found = await prompt({
      project: { '.iris/templates/logger.hbs': 'other' },
      homeFiles: { [ofHome]: 'home {{no}}' },
    })
    expect(found).toEqual({ prompt: 'home\n', source: 'home', path: `/home/${ofHome}`, warnings: [] })
  })

  test('among those of Iris last', async () => {
    const found = await prompt()
    expect(found).toEqual({
      prompt: expect.stringContaining('You find the cause of a fault'),
      source: 'built-in',
      warnings: [],
    })
  })

  test('and no named pipe or device in its place keeps anybody waiting', async () => {
    using tree = projectTree({ '.iris/templates/x': '' })
    execFileSync('mkfifo', [join(tree.path, own)])
    using pipes = projectTree({ 'templates/x': '' })
    execFileSync('mkfifo', [join(pipes.path, ofHome)])
    using devices = projectTree({ 'templates/x': '' })
    symlinkSync('/dev/zero', join(devices.path, ofHome))
    const inProject = await prompt({ directory: tree.path })
    expect(inProject).toMatchObject({ source: 'built-in', warnings: [expect.stringContaining('it is not a file')] })
    for (const home of [pipes.path, devices.path]) {
      const inHome = await prompt({ home })
      expect(inHome).toMatchObject({ source: 'built-in', warnings: [expect.stringContaining('is not a plain file')] })
    }
  })

  test('behind a link in the home, where links are the user’s own, not in the project', async () => {
    using dotfiles = projectTree({ 'd.hbs': 'linked' })
    using tree = projectTree({ '.iris/templates/x': '' })
    using home = projectTree({ 'templates/x': '' })
    for (const directory of [join(tree.path, own), join(home.path, ofHome)]) {
      symlinkSync(join(dotfiles.path, 'd.hbs'), directory)
    }
    expect(await prompt({ directory: tree.path, home: home.path })).toMatchObject({
      prompt: 'linked\n',
      source: 'home',
      warnings: [`${own} is not used: it is a link that leads out of the project.`],
    })
  })
})

describe('a template that cannot be used gives way to the next, and is named', () => {
  test.each([
    ['a mistake in it', 'a\n{{#if}}', 'line 2: {{#if}}: there is nothing in it'],
    ['10 MB', 'x'.repeat(10_000_000), 'it is larger than 65536 bytes'],
    [
      'endless work',
      '{{#each list}}'.replace('list', '@root.list').repeat(6) + '{{/each}}'.repeat(6),
      'it does too much; use fewer or shorter loops, or less text',
    ],
  ])('%s', async (_what, template, problem) => {
    const context = { list: Array.from({ length: 100 }, String) }
    expect(await prompt({ project: { [own]: template }, homeFiles: { [ofHome]: 'home' }, context })).toMatchObject({
      prompt: 'home\n',
      source: 'home',
      warnings: [`${own} is not used: ${problem}.`],
    })
    expect(await prompt({ homeFiles: { [ofHome]: template }, context })).toMatchObject({
      source: 'built-in',
      warnings: [`/home/${ofHome} is not used: ${problem}.`],
    })
  })

  test('no text', async () => {
    using tree = projectTree({ [own]: Buffer.from([0x80]) })
    const found = await prompt({ directory: tree.path, homeFiles: { [ofHome]: Buffer.from([0x80]) } })
    const problem = 'is not used: it is not text in UTF-8.'
    expect(found.warnings).toEqual([`${own} ${problem}`, `/home/${ofHome} ${problem}`])
  })
})

test('a template of one’s own may begin with that of Iris', async () => {
  const { prompt: text, source } = await prompt({ project: { [own]: '{{> base/debugger}}\nAnd sing.' } })
  expect(source).toBe('project')
  expect(text).toMatch(/^You find the cause of a fault[^]*And sing\.\n$/)
})

test('no partial reaches a file', async () => {
  for (const name of ['base/../../../../package', '../project', 'evil/debugger', 'base/none', '/etc/passwd']) {
    const { source, warnings } = await prompt({ project: { [own]: `{{> ${name}}}` } })
    expect([source, ...warnings]).toEqual(['built-in', `${own} is not used: there is no partial {{> ${name}}}.`])
  }
})

test('the caller’s variables win over what is found', async () => {
  const template = '{{projectName}} {{framework}} {{hint.deep.0}}'
  const project = { [own]: template, 'package.json': { name: 'found', dependencies: { vue: '3' } } }
  const context = { projectName: 'given', hint: { deep: ['x'] } }
  expect((await prompt({ project, context })).prompt).toBe('given Vue x\n')
})

test('too much in the caller’s variables is a mistake of the caller', async () => {
  await expect(prompt({ context: { target: 'x'.repeat(4_000_000) } })).rejects.toThrow('it does too much')
})

describe('Iris’s own template', () => {
  const rich = {
    'package.json': {
      name: 'shop',
      version: '1.2.3',
      dependencies: { next: '15', react: '19' },
      devDependencies: { vitest: '5' },
    },
    'tsconfig.json': '{}',
    'CLAUDE.md': 'Speak plainly.',
    '.iris/context.yaml': 'instructions: Mind the gap.',
  }

  test.each(agentTypes)('of the %s uses what is known', async (kind) => {
    const context = { target: 'the cart', gitDiff: '+ added' }
    const { prompt: text, source } = await prompt({ kind, project: rich, context })
    expect(source).toBe('built-in')
    for (const part of ['**shop**', '1.2.3', 'TypeScript, with Next.js', 'Vitest', 'Speak plainly.', 'Mind the gap.']) {
      expect(text).toContain(part)
    }
    for (const part of ['the cart', '<diff>\n+ added\n</diff>', '## What you hand back']) expect(text).toContain(part)
    expect(text).not.toMatch(/[{}]{2}|undefined|\[object|\n\n\n/)
  })

  test.each(agentTypes)('of the %s does without what is not known', async (kind) => {
    const { prompt: text } = await prompt({ kind })
    expect(text).toContain('The project is **project**')
    expect(text).not.toMatch(/[{}]{2}|undefined|\[object|\n\n\n|<diff>|<claude-md>| with \.|,\s*\.|``/)
  })

  test('says what may be written', async () => {
    const where = async (kind: AgentKind) =>
      /## Where you work\n\n(.*)\n/.exec((await prompt({ kind, project: rich })).prompt)?.[1]
    expect(await where('code-reviewer')).toBe('Change no file.')
    expect(await where('changeloger')).toBe('You may change: `CHANGELOG.md`.')
    expect(await where('tech-writer')).toBe('You may change: `docs/**`, `**/*.md`.')
    expect(await where('refactorer')).toContain('`!**/__tests__/**`')
  })
})

test('what is written into the project counts at the next call', async () => {
  using tree = projectTree({ [own]: 'one' })
  expect((await prompt({ directory: tree.path })).prompt).toBe('one\n')
  writeFiles(tree.path, { [own]: 'two' })
  expect((await prompt({ directory: tree.path })).prompt).toBe('two\n')
})
