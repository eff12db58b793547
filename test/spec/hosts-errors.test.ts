import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diagnose } from '../../src/app/doctor/doctor.ts'
import { type Clock, systemClock } from '../../src/base/lib/clock.ts'
import { clientStarter } from '../../src/platform/hosts/client-environment.ts'
import { ConnectionDirectory } from '../../src/platform/hosts/connection-directory.ts'
import { parseRemote } from '../../src/platform/hosts/remote-command.ts'
import { RemoteHost } from '../../src/platform/hosts/remote-host.ts'
import type { SshOptions } from '../../src/platform/hosts/ssh-options.ts'
import { LocalSystem } from '../../src/platform/machine/local-system.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { loginOf, type RemoteWorld, startRemoteWorld } from '../support/remote-world.ts'
import { type SshHost, startSshHost } from '../support/ssh-host.ts'
import { find } from '../support/test-host.ts'

const env = { PATH: '/usr/bin:/bin', HOME: '/' }

function hostOf(remote: string, clock: Clock = systemClock, options: SshOptions = {}) {
  const system = new LocalSystem(systemClock)
  const connections = new ConnectionDirectory()
  const host = new RemoteHost({
    command: parseRemote(remote, options),
    clock,
    connections,
    start: clientStarter(system, env),
  })
  const end = async (): Promise<void> => {
    await host.close()
    connections.remove()
  }
  return { host, [Symbol.asyncDispose]: end }
}

describe('what keeps Iris from a machine is said, each with its reason and what to do', () => {
  let ssh: SshHost
  const config = (name: string, ...lines: string[]): string => {
    const path = join(ssh.root, `config-${name}`)
    // ssh takes the first value of each key.
    writeFileSync(
      path,
      `Host inanna\n${lines.map((line) => `  ${line}\n`).join('')}${readFileSync(ssh.clientConfig, 'utf8')}`,
    )
    return `ssh -F ${path} inanna`
  }
  /** With that key and no other. */
  const keyed = (key: string): string => {
    const text = readFileSync(ssh.clientConfig, 'utf8').replace(`${ssh.root}/user\n`, `${ssh.root}/${key}\n`)
    writeFileSync(join(ssh.root, `only-${key}`), text)
    return `only-${key}`
  }
  beforeAll(async () => {
    ssh = await startSshHost()
    for (const [name, phrase] of [
      ['stranger', ''],
      ['locked', 'a phrase'],
    ] as const) {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', phrase, '-f', join(ssh.root, name)])
    }
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(ssh.root, 'other-host')])
    const other = readFileSync(join(ssh.root, 'other-host.pub'), 'utf8').split(' ').slice(0, 2).join(' ')
    writeFileSync(join(ssh.root, 'changed'), `[127.0.0.1]:${ssh.port} ${other}\n`)
    appendFileSync(join(ssh.root, 'user.pub'), readFileSync(join(ssh.root, 'locked.pub'), 'utf8'))
    writeFileSync(join(ssh.root, 'half'), '')
  })
  afterAll(() => ssh[Symbol.asyncDispose]())

  test.each([
    ['unknown_host_key', () => config('unknown', 'UserKnownHostsFile /dev/null'), 'Connect once by hand'],
    ['changed_host_key', () => config('changed', `UserKnownHostsFile ${ssh.root}/changed`), 'ssh-keygen -R'],
    ['refused_key', () => config('stranger').replace('config-stranger', keyed('stranger')), 'ssh-copy-id'],
    ['refused_key', () => config('locked').replace('config-locked', keyed('locked')), 'ssh-add'],
    ['unknown_name', () => config('name', 'HostName nowhere.invalid'), 'See why with: ssh'],
    ['refused', () => config('port', 'Port 1'), 'See why with: ssh'],
    // No network but loopback is here.
    ['unreachable', () => config('route', 'HostName 192.0.2.1'), 'See why with: ssh'],
    ['bad_configuration', () => config('bad', 'NoSuchOption yes'), 'See why with: ssh'],
    ['no_client', () => 'no-such-client here', 'correct remote'],
    ['no_shell', () => 'false', 'See why with: false'],
    ['no_shell', () => 'yes', 'See why with: yes'],
  ])('%s', async (reason, remote, remedy) => {
    // The clock of Iris never moves: the client itself ends each attempt.
    await using known = hostOf(remote(), new FakeClock())
    const error = await known.host.run('true').catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'host_unreachable', remedy: expect.stringContaining(remedy) })
    expect(known.host.state).toMatchObject({ kind: 'unreachable', reason })
  })

  test.each([
    'RemoteCommand top',
    'StdinNull yes',
    'ForkAfterAuthentication yes',
    'SessionType none',
    'RequestTTY force',
    'ExitOnForwardFailure yes\n  LocalForward 127.0.0.1:PORT 127.0.0.1:1',
  ])('a person’s ssh_config may have %j', async (line) => {
    await using known = hostOf(config('personal', line.replace('PORT', String(ssh.port))))
    expect((await known.host.run('echo reached')).output.toString()).toBe('reached\n')
  })

  test('a client before OpenSSH 8.7, which refuses the names of newer options, is used without them', async () => {
    const old = join(ssh.root, 'old')
    mkdirSync(old)
    const refusal = 'command-line: line 0: Bad configuration option: stdinnull'
    const script = `#!/bin/sh\ncase "$*" in *StdinNull*) echo "${refusal}" >&2; exit 255;; esac\nexec ssh "$@"\n`
    writeFileSync(join(old, 'ssh'), script, { mode: 0o755 })
    await using known = hostOf(`${old}/${config('old')}`)
    expect((await known.host.run('echo reached')).output.toString()).toBe('reached\n')
  })

  test('a machine that takes the connection and says nothing is given up by ssh after connectTimeout', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const remote = `ssh -F ${ssh.clientConfig} -p ${port} inanna`
    // The clock of Iris never moves, so that only ssh can give up.
    const { host } = hostOf(remote, new FakeClock(), { connectTimeout: 1000 })
    await expect(host.run('true')).rejects.toMatchObject({
      code: 'host_unreachable',
      message: expect.stringContaining('it does not answer'),
    })
    expect(host.state).toMatchObject({ kind: 'unreachable', reason: 'unreachable' })
    silent.close()
  })

  test('a machine that says more than it was asked for, or nothing, is dropped, and asked again', async () => {
    await using known = hostOf(ssh.remote)
    const { host } = known
    await expect(host.run('yes', { mostBytes: 10_000 })).rejects.toThrow('sends more output than expected')
    await expect(host.run('sleep 100', { timeoutMs: 300 })).rejects.toThrow('has not answered within 300 ms')
    expect((await host.run('echo again')).output.toString()).toBe('again\n')
    expect(host.state.kind).toBe('connected')
  })

  test('a profile that prints, one that reads, and a value that is not UTF-8 do not disturb', async () => {
    const odd = `export ODD=$(printf 'a\\377b')`
    writeFileSync(join(ssh.home, '.profile'), `echo welcome; read -r line; ${odd}; export FAR=away\n`)
    await using known = hostOf(ssh.remote)
    expect(await known.host.environment()).toMatchObject({ FAR: 'away', ODD: 'a\u{fffd}b', HOME: ssh.home })
  })

  test('shells that are opened at the same time share one connection, also after it was cut', async () => {
    await using known = hostOf(ssh.remote)
    const first = await openedAtOnce(known.host)
    expect(first.connections.size).toBe(1)
    ssh.cut()
    await Promise.all(first.channels.map((channel) => channel.exited))
    const second = await openedAtOnce(known.host)
    expect(second.connections.size).toBe(1)
    expect(second.connections).not.toEqual(first.connections)
    await Promise.all(second.channels.map((channel) => channel.stop('now')))
  })
})

async function openedAtOnce({ shell }: RemoteHost) {
  const channels = await Promise.all([1, 2, 3, 4, 5].map(() => shell.open()))
  const connections = channels.map(async (channel) => {
    const said = Promise.withResolvers<string>()
    channel.read((chunk) => {
      said.resolve(chunk.toString())
      return undefined
    })
    await channel.write('echo "$SSH_CONNECTION"\n')
    return said.promise
  })
  return { channels, connections: new Set(await Promise.all(connections)) }
}

describe('what is wrong on the machine itself is said with its reason, before a message and by doctor', () => {
  let world: RemoteWorld
  const there = (more: Record<string, unknown> = {}) => {
    const { iris, host } = world
    const backend = { remote: host.remote, path: host.directory('backend'), ...more }
    iris.world.writeConfig({ teams: { frontend: {}, mobile: {}, backend } })
    const { config } = iris.daemon.parts
    const isInForce = () =>
      Object.entries(backend).every(([key, value]) => config().teams.get('backend')?.[key as 'path'] === value)
    return eventually(() => isInForce() && config().settings.isolation === 'home', 'config.yaml is in force')
  }
  const login = (more: Record<string, string> = {}) => {
    world.host.writeProfile({ ...loginOf(world.iris.world.model.url), ...more })
  }
  const found = async () => {
    const { home, env } = world.iris.world
    return (await diagnose({ home, env, daemon: undefined })).filter(({ check }) => check === 'hosts')
  }
  const answer = () => ask(world.iris, 'backend', 'hello', { fromTeam: 'frontend' })
  beforeAll(async () => {
    world = await startRemoteWorld({ script: () => ({ text: 'here' }) })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('no Claude Code', async () => {
    await there({ claudePath: '/opt/no/claude' })
    expect(await found()).toMatchObject([
      { state: 'fail', detail: expect.stringContaining('There is no "/opt/no/claude"') },
    ])
    const detail = expect.stringContaining('Install Claude Code there')
    expect(await answer()).toMatchObject({ status: 'failed', reason: 'spawn_failed', detail })
  })

  test('a Claude Code that is too old', async () => {
    const old = join(world.host.root, 'old-claude')
    writeFileSync(old, '#!/bin/sh\necho "2.0.1 (Claude Code)"\n', { mode: 0o755 })
    await there({ claudePath: old })
    const detail = expect.stringMatching(/2\.0\.1 .* is older than/)
    expect(await found()).toMatchObject([{ state: 'fail', detail, remedy: expect.stringContaining('npm install') }])
  })

  test('no project', async () => {
    await there({ path: '/opt/no/project' })
    expect(await found()).toMatchObject([
      { state: 'fail', detail: expect.stringContaining('there is no directory /opt/no/project') },
    ])
    const detail = expect.stringContaining('does not exist')
    expect(await answer()).toMatchObject({ status: 'failed', detail })
  })

  test('a clock that is wrong', async () => {
    await there()
    const bin = world.host.directory('bin')
    writeFileSync(join(bin, 'date'), '#!/bin/sh\nexec /bin/date -d "1 hour ago" "$@"\n', { mode: 0o755 })
    login({ PATH: `${bin}:/usr/bin:/bin` })
    const detail = expect.stringMatching(/its clock is 36\d\d s behind/)
    expect(await found()).toMatchObject([{ state: 'warn', detail, remedy: expect.stringContaining('timedatectl') }])
  })

  test('nobody is logged in', async () => {
    await there()
    login({ ANTHROPIC_API_KEY: '' })
    const remedy = expect.stringMatching(/^ssh -t .*claude \(then \/login\)$/)
    expect(await found()).toMatchObject([
      { state: 'warn', detail: expect.stringContaining('not to be logged in'), remedy },
    ])
  })

  test('a message to a Claude Code that nobody is logged in to', async () => {
    await using fresh = await startRemoteWorld({ script: () => ({ text: 'here' }) })
    fresh.host.writeProfile({ ...loginOf(fresh.iris.world.model.url), ANTHROPIC_API_KEY: '' })
    const said = await ask(fresh.iris, 'backend', 'hello', { fromTeam: 'frontend' })
    const detail = expect.stringContaining('Log in with claude in a terminal on its machine')
    expect(said).toMatchObject({ status: 'failed', reason: 'api_auth', detail })
  })

  test.each([
    ['no directory that can be written to', 'Let the user of the connection write', '/proc/none'],
    ['a full disk', 'Free up space there', 'full'],
  ])('%s', async (_what, remedy, place) => {
    await using fresh = await startRemoteWorld({ script: () => ({ text: 'here' }) })
    const { host, iris } = fresh
    const disk = place === 'full' ? host.directory('full') : place
    const small = place === 'full' ? fullDisk(disk) : () => {}
    host.writeProfile({ ...loginOf(iris.world.model.url), XDG_CACHE_HOME: disk, TMPDIR: disk })
    try {
      const said = await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
      expect(said).toMatchObject({ status: 'failed', detail: expect.stringContaining(remedy) })
    } finally {
      small()
    }
  })
})

/** Mounts a disk there that takes no byte more; what is returned takes it away. As an ordinary user sshd could not see it. */
function fullDisk(path: string): () => void {
  execFileSync(find('mount'), ['-t', 'tmpfs', '-o', 'size=16k', 'iris', path])
  writeFileSync(join(path, 'filler'), Buffer.alloc(16_384))
  return () => execFileSync(find('umount'), [path])
}
