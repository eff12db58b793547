import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DaemonOptions } from '../../src/app/daemon/daemon.ts'
import { type FakeClaudeSetup, fakeClaude } from './fake-claude.ts'
import { TestIris } from './iris.ts'
import { type SshHost, startSshHost } from './ssh-host.ts'
import { isDouble, type WorldOptions } from './world.ts'

export interface RemoteWorld extends AsyncDisposable {
  readonly host: SshHost
  readonly iris: TestIris
}

type RemoteOptions = Omit<WorldOptions, 'teams'> &
  Partial<DaemonOptions> & {
    /** As `claude`, which is for the teams here: for the one on the other machine. */
    readonly there?: WorldOptions['claude']
  }

/** Iris with the teams `frontend` and `mobile` here, and `backend` on a machine behind ssh. */
export async function startRemoteWorld(
  { there, ...options }: RemoteOptions = {},
  backend: Readonly<Record<string, unknown>> = {},
): Promise<RemoteWorld> {
  const host = await startSshHost()
  const path = realpathSync(host.directory('backend'))
  const fake = isDouble(there) ? fakeClaude({ followsModel: true }) : undefined
  const own = fake && { claudePath: fake.claudePath }
  const teams = { frontend: {}, mobile: {}, backend: { remote: host.remote, path, ...own, ...backend } }
  const iris = await TestIris.start({ ...options, teams })
  host.writeProfile({ ...loginOf(iris.world.model.url), ...(fake && envOf(fake)) })
  return {
    host,
    iris,
    async [Symbol.asyncDispose]() {
      await iris[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
      fake?.[Symbol.dispose]()
    },
  }
}

/** The environment of a login there, with which the double runs. */
export function envOf({ env }: FakeClaudeSetup): Record<string, string> {
  return { ...env, PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` }
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
