import { startDaemon } from '../../src/app/daemon/daemon.ts'
import type { Endpoint } from './call-tool.ts'
import type { World } from './world.ts'

export interface NextDaemon extends Endpoint, AsyncDisposable {
  readonly owner: string
}

/**
 * The daemon after one that was killed, in the test's own process: one in a process of its own takes two seconds of processor to load
 * Iris once more. For a daemon that is killed in its turn there is DaemonProcess.
 */
export async function nextDaemon(world: World): Promise<NextDaemon> {
  const daemon = await startDaemon({ home: world.home, env: world.env, daemonPid: 0 })
  return {
    port: daemon.port,
    token: world.token(),
    owner: world.owner(),
    [Symbol.asyncDispose]: () => daemon.stop(0),
  }
}
