import { realpathSync } from 'node:fs'
import type { DaemonOptions } from '../../src/app/daemon/daemon.ts'
import { TestIris } from './iris.ts'
import { type SshHost, startSshHost } from './ssh-host.ts'
import type { WorldOptions } from './world.ts'

export interface RemoteWorld extends AsyncDisposable {
  readonly host: SshHost
  readonly iris: TestIris
}

/** Iris with the teams `frontend` and `mobile` here, and `backend` on a machine behind ssh. */
export async function startRemoteWorld(
  options: Omit<WorldOptions, 'teams'> & Partial<DaemonOptions> = {},
  backend: Readonly<Record<string, unknown>> = {},
): Promise<RemoteWorld> {
  const host = await startSshHost()
  const path = realpathSync(host.directory('backend'))
  const teams = { frontend: {}, mobile: {}, backend: { remote: host.remote, path, ...backend } }
  const iris = await TestIris.start({ ...options, teams })
  host.writeProfile(loginOf(iris.world.model.url))
  return {
    host,
    iris,
    async [Symbol.asyncDispose]() {
      await iris[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
    },
  }
}

/** The environment of a login there, with which Claude Code uses the scripted model. */
export function loginOf(modelUrl: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'dummy',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
}
