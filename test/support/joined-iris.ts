import type { Clock } from '../../src/base/lib/clock.ts'
import { callTool, type Endpoint } from './call-tool.ts'
import { eventually } from './eventually.ts'
import { type FakeClaudeSetup, fakeClaude, type Script } from './fake-claude.ts'
import { TestIris } from './iris.ts'
import type { NatsServer } from './nats.ts'

export interface JoinedOptions {
  /** Names, or names with further keys of config.yaml. */
  readonly teams: readonly (string | { readonly name: string; readonly [key: string]: unknown })[]
  /** Lines of the fake Claude Code; default: it echoes. The text `real` is the real one. */
  readonly script?: Script | 'real' | ((file: (name: string) => string) => Script)
  readonly cluster?: Readonly<Record<string, unknown>>
  readonly settings?: Readonly<Record<string, unknown>>
  readonly clock?: Clock
}

/** A host among others: a daemon in this process, with its own home. */
export interface JoinedIris extends AsyncDisposable {
  readonly iris: TestIris
  readonly claude: FakeClaudeSetup
}

export async function joinedIris(server: NatsServer, name: string, options: JoinedOptions): Promise<JoinedIris> {
  const { script, teams } = options
  const claude = fakeClaude(script === undefined || script === 'real' ? {} : { script })
  const iris = await TestIris.start({
    teams: Object.fromEntries(
      teams.map((team) => {
        const { name: teamName, ...more } = typeof team === 'string' ? { name: team } : team
        return [teamName, { description: `${teamName} of ${name}`, ...more }]
      }),
    ),
    cluster: { servers: server.url, name, ...options.cluster },
    ...(options.clock && { clock: options.clock }),
    settings: { ...options.settings, ...(script !== 'real' && { claudePath: claude.claudePath }) },
    ...(script !== 'real' && { env: claude.env }),
  })
  return {
    iris,
    claude,
    async [Symbol.asyncDispose]() {
      await iris[Symbol.asyncDispose]()
      claude[Symbol.dispose]()
    },
  }
}

/** Resolves when this host lists the team. */
export async function offersTo(iris: Endpoint, team: string): Promise<Record<string, unknown>> {
  return eventually(async () => {
    const { teams } = (await callTool(iris, 'list_teams')) as { teams: Record<string, unknown>[] }
    return teams.find(({ name }) => name === team)
  }, `${team} is listed`)
}
