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
import { forgedInclude, git, makeRepository, swapping } from '../support/attackers.ts'
import { callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { writeFiles } from '../support/project-tree.ts'

/** Secrets of Iris, each in a file that no isolated agent can see. */
const secret = 'only/for/iris'
const levels = ['home', 'sandbox'] as const
const attacks = ['filter', 'swapped', 'attributes', 'template'] as const
const teamOf = (level: string, attack: string) => `${level}-${attack}`

let iris: TestIris
beforeAll(async () => {
  const teams = levels.flatMap((isolation) => attacks.map((attack) => [teamOf(isolation, attack), { isolation }]))
  iris = await TestIris.start({ teams: Object.fromEntries(teams), env: { SHOP: secret } })
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
      warnings: [`${template} is not used: dotfiles is a link, or no directory.`],
    })
    expect(JSON.stringify(last)).not.toContain(iris.world.owner())
  })
})
