import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { claudeBinary } from './real-claude.ts'
import { scratchDirectory } from './scratch.ts'

/** Another machine as far as ssh shows it: a real sshd on loopback, with keys, a configuration and its own home. */
export interface SshHost extends AsyncDisposable {
  /** For `remote` of a team. */
  readonly remote: string
  readonly root: string
  /** The home there. */
  readonly home: string
  readonly port: number
  /** Of the user's ssh, for `-F`. */
  readonly clientConfig: string
  /** Sets variables for every login. */
  writeProfile(variables: Readonly<Record<string, string>>): void
  directory(name: string): string
  /** Ends all connections, as a machine that vanishes; the server takes new ones. */
  cut(): void
  /** How many there are now. */
  connections(): number
  /** Ends the server. */
  stop(): Promise<void>
  /** Ends the server and all its connections, so that none begins in between. */
  vanish(): Promise<void>
  /** Ends the server and its connections, and starts it with these lines before the others. */
  restart(lines: readonly string[]): Promise<void>
}

export interface SshHostOptions {
  /** Where the server listens; default: loopback. */
  readonly address?: string
  /** A command line in front of the server, that becomes what follows it. */
  readonly within?: readonly string[]
}

export async function startSshHost({ address = '127.0.0.1', within = [] }: SshHostOptions = {}): Promise<SshHost> {
  const sshd = sshdProgram()
  const scratch = scratchDirectory()
  const { path: root } = scratch
  const home = join(root, 'home')
  mkdirSync(join(home, '.local/bin'), { recursive: true })
  symlinkSync(claudeBinary('2.1.330'), join(home, '.local/bin/claude'))
  for (const key of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', key, '-f', join(root, key)])
  }
  const port = await freePort()
  const server = [
    `Port ${port}`,
    `ListenAddress ${address}`,
    `HostKey ${join(root, 'host')}`,
    `AuthorizedKeysFile ${join(root, 'user.pub')}`,
    `PidFile ${join(root, 'sshd.pid')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin yes',
    'MaxSessions 100',
    'MaxStartups 100',
    `SetEnv HOME=${home}`,
  ]
  writeFileSync(join(root, 'sshd_config'), `${server.join('\n')}\n`)
  const hostKey = readFileSync(join(root, 'host.pub'), 'utf8').split(' ').slice(0, 2).join(' ')
  writeFileSync(join(root, 'known_hosts'), `[${address}]:${port} ${hostKey}\n`)
  const clientConfig = join(root, 'ssh_config')
  const client = [
    'Host inanna',
    `  HostName ${address}`,
    `  Port ${port}`,
    `  User ${userInfo().username}`,
    `  IdentityFile ${join(root, 'user')}`,
    '  IdentitiesOnly yes',
    '  IdentityAgent none',
    `  UserKnownHostsFile ${join(root, 'known_hosts')}`,
    '  GlobalKnownHostsFile /dev/null',
  ]
  writeFileSync(clientConfig, `${client.join('\n')}\n`)
  const config = join(root, 'sshd_config')
  let daemon = await startServer([...within, sshd], config)
  const stop = async (): Promise<void> => {
    if (daemon.exitCode !== null || daemon.signalCode !== null) return
    const exited = once(daemon, 'exit')
    daemon.kill('SIGTERM')
    await exited
  }
  const cut = (): void => connectionsOf(daemon.pid!).forEach((pid) => process.kill(pid, 'SIGKILL'))
  return {
    remote: `ssh -F ${clientConfig} inanna`,
    root,
    home,
    port,
    clientConfig,
    stop,
    cut,
    connections: () => connectionsOf(daemon.pid!).length,
    async vanish() {
      daemon.kill('SIGSTOP')
      cut()
      const exited = once(daemon, 'exit')
      daemon.kill('SIGKILL')
      await exited
    },
    async restart(lines) {
      if (daemon.signalCode === null) cut()
      await stop()
      writeFileSync(config, `${[...lines, ...server].join('\n')}\n`)
      daemon = await startServer([...within, sshd], config)
    },
    writeProfile(variables) {
      const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`)
      writeFileSync(join(home, '.profile'), lines.join(''))
    },
    directory(name) {
      const path = join(root, 'containers', name)
      mkdirSync(path, { recursive: true })
      return path
    },
    async [Symbol.asyncDispose]() {
      await stop()
      scratch[Symbol.dispose]()
    },
  }
}

async function startServer(
  [program = '', ...words]: readonly string[],
  config: string,
): Promise<ChildProcessByStdio<null, null, Readable>> {
  const daemon = spawn(program, [...words, '-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    daemon.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('Server listening')) resolve()
    })
    daemon.once('exit', () => reject(new Error(`sshd did not start: ${said}`)))
  })
  return daemon
}

/** The server has a process for each connection, and that another one for the user. */
function connectionsOf(server: number): number[] {
  const children = (pid: number): number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return children(server)
}

function sshdProgram(): string {
  const found = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/sbin/sshd'].find((path) => existsSync(path))
  if (found === undefined) throw new Error('There is no sshd: scripts/sshd says how to have one.')
  return found
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
