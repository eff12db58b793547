import type { Script } from '../src/app/demo/script.ts'
import { claudeExecutable } from '../src/core/pool/claude-executable.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { type FakeClaudeSetup, fakeClaude } from '../test/support/fake-claude.ts'
import { createWorld, type World } from '../test/support/world.ts'
import { HttpCaller } from './http-caller.ts'

export const answers: Script = () => ({ text: 'an answer' })

export interface Setting extends AsyncDisposable {
  readonly world: World
  readonly daemon: DaemonProcess
  readonly caller: HttpCaller
  /** The real CLI that Iris runs. */
  readonly claude: string
}

/** A daemon in a process of its own with the real CLI, or the bare fake one, and a model that answers at once. */
export async function setting(
  options: { fake?: boolean; maxProcesses?: number } = {},
): Promise<Setting & { fake: FakeClaudeSetup | undefined }> {
  const fake = options.fake === true ? fakeClaude({ bare: true }) : undefined
  const team = fake ? { claudePath: fake.claudePath, env: fake.env } : {}
  const world = await createWorld({
    script: answers,
    teams: { frontend: team, backend: team, mobile: team, web: team },
    settings: { maxProcesses: options.maxProcesses ?? 10 },
  })
  const daemon = await DaemonProcess.start(world)
  const caller = new HttpCaller(daemon)
  return {
    world,
    daemon,
    caller,
    fake,
    claude: fake?.claudePath ?? (await claudeExecutable(undefined, world.env['PATH'] ?? '')),
    async [Symbol.asyncDispose]() {
      caller.close()
      await daemon[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
      fake?.[Symbol.dispose]()
    },
  }
}
