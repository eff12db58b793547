import { systemClock } from '../src/base/lib/clock.ts'
import { clientStarter } from '../src/platform/hosts/client-environment.ts'
import { ConnectionDirectory } from '../src/platform/hosts/connection-directory.ts'
import { parseRemote } from '../src/platform/hosts/remote-command.ts'
import { RemoteHost } from '../src/platform/hosts/remote-host.ts'
import { LocalSystem } from '../src/platform/machine/local-system.ts'
import { type SshHost, startSshHost } from '../test/support/ssh-host.ts'

export interface BareHost extends AsyncDisposable {
  readonly ssh: SshHost
  readonly host: RemoteHost
  /** Of what is started there; ended at the end. */
  readonly tag: string
}

/** A real sshd of this machine and Iris's form of a host behind it, without a daemon. */
export async function startBareHost(): Promise<BareHost> {
  const ssh = await startSshHost()
  const connections = new ConnectionDirectory()
  const start = clientStarter(new LocalSystem(systemClock), { PATH: '/usr/bin:/bin', HOME: '/' })
  const host = new RemoteHost({ command: parseRemote(ssh.remote), clock: systemClock, connections, start })
  const tag = 'far-bench.a'
  return {
    ssh,
    host,
    tag,
    async [Symbol.asyncDispose]() {
      await host.programs.sweep(tag, 100)
      await host.close()
      connections.remove()
      await ssh[Symbol.asyncDispose]()
    },
  }
}
