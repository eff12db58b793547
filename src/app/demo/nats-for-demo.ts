import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { IrisError } from '../../base/protocol/error.ts'
import type { DemoParts } from './demo.ts'
import type { Environment } from './demo-world.ts'

/**
 * Where nats-server may be although it is not on PATH: where Debian and others install servers, and where
 * scripts/nats-server unpacks it.
 */
const usualPlaces = ['/usr/sbin', '/usr/local/bin', '/usr/local/sbin']
const unpacked = join(import.meta.dirname, '../../../node_modules/.cache/nats-server/usr/sbin')
const readyMs = 10_000

export interface DemoNats {
  readonly url: string
  /** Stops the server; resolves when its process has ended. */
  end(): Promise<void>
}

/** A nats-server with JetStream on loopback, with its files in this directory. Throws `not_found`. */
export async function startNats(directory: string, env: Environment, guard: DemoParts['guard']): Promise<DemoNats> {
  const program = natsServer(env)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const config = join(directory, 'nats.conf')
  // -1: the server takes a free port on its own, so that no other program can take it in between.
  writeFileSync(config, `listen: "127.0.0.1:-1"\njetstream { store_dir: ${JSON.stringify(directory)} }\n`)
  guard.watchAllOf(directory)
  const child = spawn(program, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'], env: { HOME: directory } })
  if (child.pid !== undefined) guard.watch(child.pid)
  const port = await portOf(child)
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await gone
  }
  return { url: `nats://127.0.0.1:${port}`, end }
}

function natsServer(env: Environment): string {
  const directories = [...(env['PATH'] ?? '').split(delimiter), ...usualPlaces, unpacked]
  const found = directories.map((each) => join(each, 'nats-server')).find((path) => existsSync(path))
  if (found !== undefined) return found
  const here = existsSync(join(dirname(import.meta.dirname), '../../scripts/nats-server'))
  throw new IrisError(
    'not_found',
    'The demo needs nats-server, and there is none.',
    `Install it (Debian and Ubuntu: apt install nats-server)${here ? ', or run scripts/nats-server, which installs nothing' : ''}.`,
  )
}

/** Resolves when it is ready, with the port that it reports. */
async function portOf(child: ChildProcess): Promise<number> {
  let said = ''
  return new Promise<number>((resolve, reject) => {
    const failed = (): void => reject(new IrisError('internal', 'nats-server did not start.', said.slice(-500)))
    const timer = setTimeout(failed, readyMs)
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const port = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (port === undefined || !said.includes('Server is ready')) return
      clearTimeout(timer)
      resolve(Number(port))
    })
    child.once('exit', failed)
    child.once('error', failed)
  })
}
