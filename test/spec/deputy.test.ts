import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forgedInclude, swapping } from '../support/attackers.ts'
import { callTool } from '../support/call-tool.ts'
import { git, makeRepository } from '../support/git.ts'
import { TestIris } from '../support/iris.ts'
import { writeFiles } from '../support/project-tree.ts'

/** Secrets of Iris, each in a file that no isolated agent can see. */
const secret = 'only/for/iris'
const levels = ['home', 'sandbox'] as const
const attacks = ['filter', 'swapped', 'attributes', 'template', 'program', 'links', 'objects', 'alternates'] as const
const teamOf = (level: string, attack: string) => `${level}-${attack}`

let iris: TestIris
beforeAll(async () => {
  const all = levels.flatMap((isolation) => attacks.map((attack) => ({ isolation, attack })))
  const teams = Object.fromEntries(all.map(({ isolation, attack }) => [teamOf(isolation, attack), { isolation }]))
  iris = await TestIris.start({ teams, env: { SHOP: secret } })
  // That of one team lies where its agents write.
  const withPrograms = levels.map((isolation) => {
    const name = teamOf(isolation, 'program')
    return [name, { isolation, claudePath: join(iris.world.directory(name), 'claude') }]
  })
  iris.world.writeConfig({ teams: { ...teams, ...Object.fromEntries(withPrograms) } })
  await iris.restart()
})
afterAll(() => iris[Symbol.asyncDispose]())

const prompt = (team: string, includeGitDiff = false) =>
  callTool(iris, 'get_agent', { agentType: 'code-reviewer', team, includeGitDiff })

describe.each(levels)('what the project of a team in isolation "%s" makes of the daemon', (level) => {
  test('a filter that git is told of too late to leave it out runs without the rights of Iris', async () => {
    const team = teamOf(level, 'filter')
    const directory = iris.world.directory(team)
    writeFiles(directory, { 'a.txt': 'one\n', '.gitattributes': 'a.txt filter=trap\n' })
    makeRepository(directory)
    writeFileSync(join(directory, 'a.txt'), 'two\n')
    const stolen = join(directory, 'stolen')
    const filter = `cat ${iris.world.home}/owner > ${stolen}; cat`
    appendFileSync(join(directory, '.git/config'), '[include]\n\tpath = pipe\n')
    await forgedInclude(join(directory, '.git/pipe'), `[filter "trap"]\n\tclean = "${filter}"\n`)
    await prompt(team, true)
    // It ran: git cannot be kept from it. What it could read is nothing.
    expect(existsSync(stolen)).toBe(true)
    expect(readFileSync(stolen, 'utf8')).toBe('')
  })

  test('a directory that is swapped while it is read hands out nothing', async () => {
    const team = teamOf(level, 'swapped')
    const directory = iris.world.directory(team)
    writeFiles(directory, { 'd/owner': 'harmless' })
    symlinkSync('d/owner', join(directory, 'CLAUDE.md'))
    symlinkSync(iris.world.home, join(directory, 'e'))
    await swapping(join(directory, 'd'), join(directory, 'e'))
    for (let round = 0; round < 80; round++)
      expect(JSON.stringify(await prompt(team))).not.toContain(iris.world.owner())
  })

  test('a file of Iris that git is to read its attributes from is quoted by no warning', async () => {
    const team = teamOf(level, 'attributes')
    const directory = iris.world.directory(team)
    writeFiles(directory, { x: 'one\n' })
    makeRepository(directory)
    git(directory, 'config', 'core.attributesFile', join(iris.world.home, 'config.yaml'))
    writeFileSync(join(directory, 'x'), 'two\n')
    const blob = git(directory, 'rev-parse', 'HEAD:x').trim()
    const object = join(directory, '.git/objects', blob.slice(0, 2), blob.slice(2))
    writeFileSync(`${object}.new`, 'damaged')
    renameSync(`${object}.new`, object)
    const made = await prompt(team, true)
    expect(JSON.stringify(made)).not.toContain(secret)
    expect(made['warnings']).toEqual([expect.stringMatching(/^There is no git diff: git failed/)])
  })

  test('a template of the owner that lies where agents write leads to nothing else', async () => {
    const team = teamOf(level, 'template')
    const dotfiles = join(iris.world.directory(team), 'dotfiles')
    writeFiles(dotfiles, { 'debugger.hbs': 'the owner’s' })
    const template = join(iris.world.home, 'templates/debugger.hbs')
    rmSync(template, { force: true })
    mkdirSync(join(iris.world.home, 'templates'), { recursive: true })
    symlinkSync(join(dotfiles, 'debugger.hbs'), template)
    const made = () => callTool(iris, 'get_agent', { agentType: 'debugger', team })
    expect(await made()).toMatchObject({ prompt: 'the owner’s\n', source: 'home' })
    rmSync(join(dotfiles, 'debugger.hbs'))
    symlinkSync(join(iris.world.home, 'owner'), join(dotfiles, 'debugger.hbs'))
    expect(await made()).toMatchObject({
      source: 'built-in',
      warnings: [`${template} is not used: debugger.hbs is a link.`],
    })
    renameSync(dotfiles, `${dotfiles}.away`)
    symlinkSync(iris.world.home, dotfiles)
    writeFileSync(join(iris.world.home, 'debugger.hbs'), iris.world.owner())
    const last = await made()
    expect(last).toMatchObject({
      source: 'built-in',
      warnings: [`${template} is not used: dotfiles is a link, or not a directory.`],
    })
    expect(JSON.stringify(last)).not.toContain(iris.world.owner())
  })

  test('a claude that an agent has replaced is not run outside of the isolation, not even to say its version', async () => {
    const team = teamOf(level, 'program')
    const directory = iris.world.directory(team)
    const stolen = join(directory, 'stolen')
    const program = `#!/bin/sh\ncat ${iris.world.home}/owner >> ${stolen}; echo 2.1.330\n`
    writeFileSync(join(directory, 'claude'), program, { mode: 0o755 })
    await callTool(iris, 'send_message', { toTeam: team, message: 'hello' })
    expect(readFileSync(stolen, 'utf8')).toBe('')
  })

  test('links in a project to what is hidden give nothing of it', async () => {
    const { home } = iris.world
    writeFiles(home, {
      'facts.json': { name: secret },
      'iris/templates/logger.hbs': secret,
      'iris/context.yaml': `instructions: ${secret}`,
    })
    const team = teamOf(level, 'links')
    const directory = iris.world.directory(team)
    symlinkSync(join(home, 'facts.json'), join(directory, 'package.json'))
    symlinkSync(join(home, 'iris'), join(directory, '.iris'))
    symlinkSync(`/proc/${process.pid}/root${home}/owner`, join(directory, 'CLAUDE.md'))
    symlinkSync(`/proc/${process.pid}/environ`, join(directory, 'go.mod'))
    const made = await callTool(iris, 'get_agent', { agentType: 'logger', team })
    expect(made).toMatchObject({ source: 'built-in' })
    for (const hidden of [secret, iris.world.owner()]) expect(JSON.stringify(made)).not.toContain(hidden)
  })

  test.each([
    [
      'objects',
      (directory: string, repository: string) => writeFileSync(join(directory, '.git'), `gitdir: ${repository}/.git\n`),
    ],
    [
      'alternates',
      (directory: string, repository: string) => {
        makeRepository(directory)
        writeFileSync(join(directory, '.git/objects/info/alternates'), `${repository}/.git/objects\n`)
        writeFileSync(join(directory, '.git/HEAD'), git(repository, 'rev-parse', 'HEAD'))
      },
    ],
  ] as const)('a repository of which parts are hidden (%s) has no diff', async (attack, lay) => {
    const repository = join(iris.world.home, 'repository')
    writeFiles(repository, { 'a.txt': secret })
    makeRepository(repository)
    const team = teamOf(level, attack)
    const directory = iris.world.directory(team)
    writeFileSync(join(directory, 'a.txt'), 'mine')
    lay(directory, repository)
    const made = await prompt(team, true)
    expect(JSON.stringify(made)).not.toContain(secret)
    expect(made['warnings']).toEqual([expect.stringMatching(/^There is no git diff: /)])
  })
})

test('named pipes among the CLI’s living processes keep no message waiting', async () => {
  const sessions = join(iris.world.claudeDirectory, 'sessions')
  mkdirSync(sessions, { recursive: true })
  for (const pid of [2, 3, 5, 7, 11, 13]) execFileSync('mkfifo', [join(sessions, `${pid}.json`)])
  expect(await callTool(iris, 'send_message', { toTeam: teamOf('home', 'links'), message: 'hello' })).toMatchObject({
    status: 'completed',
  })
})
