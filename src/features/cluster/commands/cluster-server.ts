import { connect } from 'node:net'
import { IrisError } from '../../../base/protocol/error.ts'
import { type Environment, irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'

const usualPort = 4222
const withinMs = 3000

/**
 * Throws `not_found`, with instructions for starting a server, unless this host is connected to others and one of their
 * servers answers.
 */
export async function mustReachServer(env: Environment): Promise<void> {
  const { cluster } = await loadConfig({ home: irisHome(env), env })
  if (cluster === undefined) {
    const remedy = 'Join it first: iris cluster join --servers nats://10.0.0.5:4222 --name studio'
    throw new IrisError('not_found', 'config.yaml does not connect this host to any others.', remedy)
  }
  const answers = await Promise.all(cluster.servers.map(answersAt))
  if (answers.includes(true)) return
  throw new IrisError(
    'not_found',
    `No NATS server answers at ${cluster.servers.join(', ')}.`,
    `Start one there:\n${lines}`,
  )
}

const lines = `  apt install nats-server
  printf 'listen: 127.0.0.1:4222\\njetstream { store_dir: /var/lib/nats }\\n' > /etc/nats-server.conf
  nats-server -c /etc/nats-server.conf
Only this machine reaches it. A server for other machines needs users: docs/guide/many-machines.md`

function answersAt(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usualPort : Number(port) })
    const done = (answers: boolean): void => {
      socket.destroy()
      resolve(answers)
    }
    socket.setTimeout(withinMs, () => done(false))
    socket.on('error', () => done(false))
    socket.on('connect', () => done(true))
  })
}
