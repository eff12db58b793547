import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'

/** One daemon's config.yaml, and what of it is in force. */
interface Saved {
  readonly iris: TestIris
  readonly file: string
  /** The whole text with so many processes. */
  text(maxProcesses: number): string
  /** Resolves when that is in force. */
  inForce(maxProcesses: number): Promise<void>
  /** How often something was rejected. */
  rejected(): number
}

async function saved(): Promise<Saved & AsyncDisposable> {
  const iris = await TestIris.start({ claude: 'fake', teams: ['backend'], settings: { maxProcesses: 1 } })
  const file = join(iris.world.home, 'config.yaml')
  const text = (maxProcesses: number) =>
    `settings: { httpPort: 0, logLevel: error, prewarmPairs: 0, healthCheckInterval: 2147483647, maxProcesses: ${maxProcesses} }\nteams: { backend: { path: ${iris.world.directory('backend')} } }\n`
  return {
    iris,
    file,
    text,
    inForce: async (maxProcesses) => {
      await eventually(() => iris.daemon.parts.config().settings.maxProcesses === maxProcesses, 'it is in force')
    },
    rejected() {
      let count = 0
      iris.events$.subscribe(({ type }) => type === 'config-rejected' && count++).unsubscribe()
      return count
    },
    [Symbol.asyncDispose]: () => iris[Symbol.asyncDispose](),
  }
}

const write = (path: string, text: string): void => writeFileSync(path, text, { mode: 0o600 })

function replace(path: string, text: string): void {
  write(`${path}~new`, text)
  renameSync(`${path}~new`, path)
}

function pointTo(link: string, target: string): void {
  symlinkSync(target, `${link}~new`)
  renameSync(`${link}~new`, link)
}

test.each([
  ['written in place', write],
  ['replaced by another file, as many editors save', replace],
  [
    'moved away and written again, as others save',
    (file: string, text: string) => {
      renameSync(file, `${file}~`)
      write(file, text)
    },
  ],
])('a file is %s, and again', async (_, save) => {
  await using it = await saved()
  for (const processes of [2, 3]) {
    save(it.file, it.text(processes))
    await it.inForce(processes)
  }
  expect(it.rejected()).toBe(0)
})

test('a file behind links is written, replaced, and linked again', async () => {
  await using it = await saved()
  const { root } = it.iris.world
  for (const name of ['dotfiles/one', 'other']) mkdirSync(join(root, name), { recursive: true })
  write(join(root, 'dotfiles/one/config.yaml'), it.text(2))
  symlinkSync('one', join(root, 'dotfiles/current'))
  pointTo(it.file, '../dotfiles/current/config.yaml')
  await it.inForce(2)
  write(join(root, 'dotfiles/one/config.yaml'), it.text(3))
  await it.inForce(3)
  replace(join(root, 'dotfiles/one/config.yaml'), it.text(4))
  await it.inForce(4)
  write(join(root, 'other/config.yaml'), it.text(5))
  pointTo(join(root, 'dotfiles/current'), join(root, 'other'))
  await it.inForce(5)
  replace(join(root, 'other/config.yaml'), it.text(6))
  await it.inForce(6)
  expect(it.rejected()).toBe(0)
})

test('a directory on the way goes away, which changes nothing and is shown, and comes back', async () => {
  await using it = await saved()
  const dotfiles = join(it.iris.world.root, 'dotfiles')
  mkdirSync(join(dotfiles, 'iris'), { recursive: true })
  write(join(dotfiles, 'iris/config.yaml'), it.text(2))
  pointTo(it.file, join(dotfiles, 'iris/config.yaml'))
  await it.inForce(2)
  rmSync(dotfiles, { recursive: true })
  const { problems } = await it.iris.event('config-rejected')
  expect(problems).toMatchObject([{ file: it.file, problem: 'the file is a broken link' }])
  expect(it.iris.daemon.parts.config().teams.size).toBe(1)
  mkdirSync(join(dotfiles, 'iris'), { recursive: true })
  write(join(dotfiles, 'iris/config.yaml'), it.text(3))
  await it.inForce(3)
})

test("Iris's home is moved away and back with another file in it", async () => {
  await using it = await saved()
  const { home } = it.iris.world
  renameSync(home, `${home}~`)
  await it.iris.event('config-rejected')
  write(join(`${home}~`, 'config.yaml'), it.text(2))
  renameSync(`${home}~`, home)
  await it.inForce(2)
  replace(it.file, it.text(3))
  await it.inForce(3)
  expect(it.rejected()).toBe(1)
})

test('two saves in a row: the last one counts, and the daemon says it once', async () => {
  await using it = await saved()
  write(it.file, it.text(2))
  write(it.file, it.text(3))
  await it.inForce(3)
  write(it.file, it.text(4))
  await it.inForce(4)
  const said: string[][] = []
  it.iris.events$.subscribe((event) => event.type === 'config-reloaded' && said.push([...event.keys])).unsubscribe()
  // The first save also leaves out what the world of the test began with.
  expect(said).toEqual([expect.arrayContaining(['settings.maxProcesses']), ['settings.maxProcesses']])
})

test('a file that was not there at the start counts from the moment it is', async () => {
  await using it = await saved()
  unlinkSync(it.file)
  await it.iris.event('config-rejected')
  await it.iris.restart()
  expect(await callTool(it.iris, 'list_teams')).toMatchObject({ totalTeams: 0 })
  write(it.file, it.text(2))
  await it.inForce(2)
  expect(await callTool(it.iris, 'list_teams')).toMatchObject({ totalTeams: 1 })
})
