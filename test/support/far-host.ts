import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { type SshHost, startSshHost } from './ssh-host.ts'

/** A machine with its own network, at the other end of a cable. */
export interface FarHost extends SshHost {
  /** The address of this machine's service on the far host, whatever happens to the cable. */
  localUrl(url: string): Promise<string>
  pull(): void
  plug(): void
}

/** Passes on what comes to a port of loopback there to a socket, which is the same file on both sides. */
const relay = `const net = require('net'), [path] = process.argv.slice(1)
const server = net.createServer((a) => { const b = net.connect(path); a.pipe(b).pipe(a); a.on('error', () => b.destroy()); b.on('error', () => a.destroy()) })
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** Needs the right to make networks, which root has. */
export async function startFarHost(): Promise<FarHost> {
  const there = spawn('unshare', ['-n', 'sh', '-c', 'ip link set lo up; echo up; exec sleep 100000'])
  await new Promise((resolve) => there.stdout.once('data', resolve))
  const into = ['-t', `${there.pid}`, '-n', '--']
  const within = ['nsenter', ...into]
  const { pid } = process
  const [cable, farEnd] = [`iris${pid}a`, `iris${pid}b`]
  const network = `10.${200 + (pid % 50)}.${(pid >> 6) % 250}`
  run('ip', 'link', 'add', cable, 'type', 'veth', 'peer', 'name', farEnd, 'netns', `${there.pid}`)
  run('ip', 'addr', 'add', `${network}.1/24`, 'dev', cable)
  run('ip', 'link', 'set', cable, 'up')
  run(...within, 'ip', 'addr', 'add', `${network}.2/24`, 'dev', farEnd)
  run(...within, 'ip', 'link', 'set', farEnd, 'up')
  const host = await startSshHost({ address: `${network}.2`, within })
  const servers: Server[] = []
  const children: ChildProcess[] = [there]
  return {
    ...host,
    async localUrl(url) {
      const path = join(host.root, 'relay')
      servers.push(await servePath(path, new URL(url)))
      const child = spawn('nsenter', [...into, process.execPath, '-e', relay, path])
      children.push(child)
      let said = ''
      child.stdout.on('data', (chunk) => {
        said += String(chunk)
      })
      const port = await eventually(() => /\d+/.exec(said)?.[0], 'the relay listens')
      return `http://127.0.0.1:${port}`
    },
    pull: () => run('ip', 'link', 'set', cable, 'down'),
    plug: () => run('ip', 'link', 'set', cable, 'up'),
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
      for (const server of servers) server.close()
      for (const child of children) child.kill('SIGKILL')
      run('ip', 'link', 'del', cable)
    },
  }
}

function run(program = '', ...words: readonly string[]): void {
  execFileSync(program, words)
}

async function servePath(path: string, { port, hostname }: URL): Promise<Server> {
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    near.pipe(far).pipe(near)
    const end = (other: Socket) => () => void other.destroy()
    near.on('error', end(far))
    far.on('error', end(near))
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return server
}
