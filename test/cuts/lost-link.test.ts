import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filter, firstValueFrom, skip } from 'rxjs'
import { expect, test } from 'vitest'
import type { HostChannel } from '../../src/platform/hosts/host.ts'
import type { HostError } from '../../src/platform/hosts/host-error.ts'
import { eventually } from '../support/eventually.ts'
import { command, filesOf, lives, runOptions as options, outputOf } from '../support/host-program.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { pathIn, withSmallDisk } from '../support/small-disk.ts'
import { testHost } from '../support/test-host.ts'

test('after a crash of Iris a run is found, and goes on where it was: output, and the numbers of input', async () => {
  using host = testHost()
  const first = await host.programs().start(command(host, 'cat'), options)
  const heard = outputOf(first)
  await first.write('one\n')
  await first.write('two\n')
  await eventually(() => heard() === 'one\ntwo\n', 'the first Iris has heard it')
  await first.detach()

  const again = host.programs()
  const [run] = await again.runs()
  expect(run).toMatchObject({
    run: 'run-1',
    tag: options.tag,
    session: 'session-1',
    pid: first.pid,
    alive: true,
    bytes: 8,
  })
  const second = await again.attach('run-1', 4)
  const output = outputOf(second)
  await second.write('three\n')

  await eventually(() => output() === 'two\nthree\n', 'the second Iris has heard the rest')
  expect(await second.stop('idle')).toEqual({ code: 0, signal: null })
})

test('without a link for its grace a program is ended by its supervisor, and who comes back hears of it', async () => {
  using host = testHost()
  const first = await host.programs().start(command(host, 'cat'), { ...options, graceMs: 1000 })
  await first.detach()
  const again = host.programs()

  const run = await eventually(async () => (await again.runs()).find(({ exit }) => exit), 'it has ended')

  expect(run).toMatchObject({ alive: false, exit: { code: 143 } })
  const late = await again.attach('run-1', 0)
  await expect(late.exited).resolves.toEqual({ code: 143, signal: null })
  expect(late.stderr()).toContain('the link was not restored within the grace period')
})

test('a program whose supervisor was killed, as by a restart of the host, ends and is reported as killed', async () => {
  using host = testHost({ clock: hurriedClock(20) })
  const child = await host.programs().start(command(host, 'dash', '-c', 'echo here; exec sleep 1000'), options)
  const output = outputOf(child)
  await eventually(() => output() === 'here\n', 'it runs')
  const [resident] = readFileSync(join(filesOf(host), 'resident'), 'utf8').split(' ')
  process.kill(Number(resident), 'SIGKILL')

  await expect(child.exited).resolves.toEqual({ code: null, signal: 'SIGKILL' })
  expect(lives(child.pid)).toBe(false)
  expect(child.stderr()).toContain('vanished')
})

test('a program of which nobody reads the output waits, and goes on when it is read', async () => {
  using host = testHost({ mostUnreadBytes: 100_000 })
  const flood = 'head -c 300000 /dev/zero; echo; echo end'
  const child = await host
    .programs()
    .start(command(host, 'dash', '-c', `${flood}; exec cat`), { ...options, graceMs: 12_000 })
  await child.detach()
  const state = (): string => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]![0]!
  await eventually(() => state() === 'T', 'it is held')

  const again = await host.programs().attach('run-1', 0)
  const output = outputOf(again)

  await eventually(() => output().endsWith('end\n'), 'all of it is read')
  await eventually(() => state() !== 'T', 'it goes on')
  await again.write('hello\n')
  expect(await again.stop('idle')).toEqual({ code: 0, signal: null })
})

test('a full disk is said, what the program says is still read, and input is taken once there is room', async () => {
  let holder: ChildProcess | undefined
  const clock = hurriedClock(20)
  const user = process.geteuid!() === 0 ? [] : ['-U', '--preserve-credentials']
  using host = testHost({
    clock,
    within(home) {
      const [file, ...args] = [...withSmallDisk(home, 1024), 'sleep', '1000']
      holder = spawn(file, args, { stdio: 'ignore' })
      return ['nsenter', '-t', String(holder.pid), ...user, '-m']
    },
  })
  const pid = holder!.pid!
  await eventually(() => readFileSync(`/proc/${pid}/mounts`, 'utf8').includes(host.home), 'its disk is there')
  const child = await host.programs().start(command(host, 'dash', '-c', 'echo before; exec cat >/dev/null'), options)
  const said = outputOf(child)
  await eventually(() => said() === 'before\n', 'the program has written, while there was room')
  const faults: string[] = []
  child.errors$.subscribe((error) => faults.push((error as HostError).kind))
  const filler = pathIn(pid, join(host.home, 'filler'))
  expect(() => writeFileSync(filler, Buffer.alloc(4_000_000))).toThrow(/ENOSPC/)

  await eventually(() => faults.includes('disk_full'), 'the full disk is said')
  await child.detach()
  const again = await host.programs().attach('run-1', 0)
  const output = outputOf(again)
  const taken = again.write(`${'x'.repeat(20_000)}\n`)
  await eventually(() => output() === 'before\n', 'it is read')
  rmSync(filler)

  await taken
  clock.hurries = false
  expect(await again.stop('idle')).toEqual({ code: 0, signal: null })
  process.kill(pid, 'SIGKILL')
})

test('a frame of 1 MB that a program does not read survives cuts of its link in the middle', async () => {
  const channels: HostChannel[] = []
  using host = testHost({
    link: (shell) => ({
      ...shell,
      async open() {
        channels.push(await shell.open())
        return channels.at(-1)!
      },
    }),
  })
  const go = join(host.home, 'go')
  execFileSync('mkfifo', [go])
  const child = await host.programs().start(command(host, 'dash', '-c', `read -r go <${go}; exec cat`), options)
  const output = outputOf(child)
  const text = `${'0123456789abcdef'.repeat(65_536)}\n`
  const taken = Promise.all([child.write(text), child.write('last\n')])
  await eventually(() => globSync(join(filesOf(host), 'frames/*')).length > 0, 'the frame is there')

  for (let cut = 0; cut < 3; cut += 1) {
    const restored = firstValueFrom(
      child.link$.pipe(
        skip(1),
        filter(({ kind }) => kind === 'connected'),
      ),
    )
    void channels.at(-1)!.stop('now')
    await restored
  }
  writeFileSync(go, 'go\n')

  await taken
  expect(await child.stop('idle')).toEqual({ code: 0, signal: null })
  expect(output() === `${text}last\n`).toBe(true)
})
