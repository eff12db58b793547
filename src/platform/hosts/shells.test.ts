import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { find } from '../../../test/support/test-host.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { LocalSystem } from '../machine/local-system.ts'
import { clientStarter } from './client-environment.ts'
import { ConnectionDirectory } from './connection-directory.ts'
import { realPathsThere } from './real-paths.ts'
import { parseRemote } from './remote-command.ts'
import { RemoteHost } from './remote-host.ts'
import { RemoteProject } from './remote-project.ts'
import { RemoteTree } from './remote-tree.ts'

const applets = execFileSync(find('busybox'), ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean)

/** A host with this shell and its programs, except those in `without`. */
function hostOf(shell: 'dash' | 'bash' | 'busybox', without: readonly string[] = []) {
  const scratch = scratchDirectory()
  const root = realpathSync(scratch.path)
  const [home, bin] = [join(root, 'home'), join(root, 'bin')]
  mkdirSync(home)
  mkdirSync(bin)
  const names = shell === 'busybox' ? applets : []
  for (const name of names.filter((each) => each !== 'sh' && !without.includes(each))) {
    symlinkSync(find('busybox'), join(bin, name))
  }
  symlinkSync(find(shell), join(bin, 'sh'))
  const path = shell === 'busybox' ? bin : `${bin}:/usr/bin:/bin`
  const remote = `env -i HOME=${home} PATH=${path} ${join(bin, 'sh')}${shell === 'bash' ? ' --posix' : ''}`
  const connections = new ConnectionDirectory()
  const host = new RemoteHost({
    command: parseRemote(remote),
    clock: systemClock,
    connections,
    formerTag: 'far-test',
    start: clientStarter(new LocalSystem(systemClock), { PATH: '/usr/bin:/bin', HOME: '/' }),
  })
  const end = async (): Promise<void> => {
    await host.close()
    connections.remove()
    scratch[Symbol.dispose]()
  }
  return { host, home, [Symbol.asyncDispose]: end }
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

const shells = [
  ['dash and GNU tools', 'dash', []],
  ['bash in its POSIX mode', 'bash', []],
  ['busybox and nothing else, as on Alpine', 'busybox', []],
  // Linux has these three programs, macOS does not.
  ['busybox without setsid, timeout and fallocate', 'busybox', ['setsid', 'timeout', 'fallocate']],
] as const

test.each(shells)('%s: files, links, programs and what they print', async (_what, shell, without) => {
  await using there = hostOf(shell, without)
  const { host, home } = there
  const tree = new RemoteTree(host, '~/claude')
  const odd = "a name with é, 'quotes' and $(signs)"
  await tree.write(['projects', odd], pieces('one\n', '\\0101 %s \u0001\n'))
  const file = (await tree.find(['projects', odd]))!
  expect(file).toMatchObject({ size: 15, links: 1 })
  await tree.append(file, pieces('more'))
  expect((await tree.read((await tree.find(['projects', odd]))!, 4, 100)).toString()).toBe('\\0101 %s \u0001\nmore')
  await tree.touch(file, Date.UTC(2020, 1, 2, 3, 4, 5))
  expect((await tree.find(['projects', odd]))!.modifiedAt).toBe(Date.UTC(2020, 1, 2, 3, 4, 5))
  const notUtf8 = Buffer.concat([Buffer.from(join(home, 'claude/projects/z')), Buffer.from([0xff])])
  writeFileSync(notUtf8, 'x')
  const listed: string[] = []
  for await (const name of tree.list(['projects'])) listed.push(name)
  expect(listed).toEqual([odd, 'z\u{fffd}'])
  expect(await tree.find(['projects', 'z\u{fffd}'])).toBeUndefined()
  rmSync(notUtf8)
  expect((await tree.findBelow([], odd)).files).toMatchObject([{ names: ['projects', odd] }])
  await tree.move(['projects', odd], ['projects', 'new', odd])
  expect(await tree.find(['projects', odd])).toBeUndefined()
  await expect(tree.move(['projects', odd], ['projects', 'other'])).rejects.toMatchObject({ code: 'ENOENT' })
  await tree.write(['projects', odd], pieces('other'))
  await expect(tree.move(['projects', odd], ['projects', 'new', odd])).rejects.toMatchObject({ code: 'EEXIST' })
  await tree.remove(['projects', odd])
  await tree.move(['projects', 'new'], ['projects', 'newer'])
  await tree.move(['projects', 'newer', odd], ['projects', odd])
  expect(await tree.find(['projects', odd])).toMatchObject({ size: 19 })
  await tree.remove(['projects', odd])
  expect(await tree.find(['projects', odd])).toBeUndefined()

  const project = join(home, 'project')
  mkdirSync(join(project, 'inner'), { recursive: true })
  writeFileSync(join(project, 'inner/file'), 'x'.repeat(100))
  symlinkSync('inner', join(project, 'link'))
  const files = new RemoteProject(host, () => project)
  expect(await files.readText('inner/file', { mostBytes: 10, cut: true })).toMatchObject({
    text: 'x'.repeat(10),
    isCut: true,
  })
  expect(await new RemoteProject(host, () => join(project, 'link')).realPath()).toBe(join(project, 'inner'))
  expect(await new RemoteProject(host, () => join(project, 'none')).realPath()).toBeUndefined()
  expect(await files.lastChange(['inner/file'])).toBeGreaterThan(Date.now() - 3_600_000)
  const led = await realPathsThere(host, [join(project, 'link/file'), join(project, 'link/none/x')], [project, home])
  expect([...led.values()]).toEqual([join(project, 'inner/file'), join(project, 'inner/none/x')])
  const place = { project, directory: '.claude/iris', file: 'a.json' }
  const { path, remove } = await host.privateFiles.write('id', place, '{"a":"\\"}')
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['{"a":"\\"}', 0o600])
  remove()
  await host.privateFiles.removed()
  expect(() => statSync(path)).toThrow('ENOENT')

  const command = { executable: find('cat'), args: [], cwd: project, env: { IRIS_PROCESS: 'far-test.run' } }
  const child = await host.programs.start(command, { run: 'run', tag: 'far-test.run', session: 's', graceMs: 60_000 })
  const output: Buffer[] = []
  child.read((chunk) => {
    output.push(chunk)
    return undefined
  })
  const said = [
    'said\n',
    'ü7 \\ \\n \\0101 \\c %s $(x)\t\u0001\u007f\r 😀8 \n',
    `${'é\\'.repeat(3000)}\n`,
    'two\nlines\n',
    'a\0b\n',
  ]
  for (const text of said) await child.write(text)
  await child.stop('idle')
  expect(Buffer.concat(output).toString()).toBe(said.join(''))
})
