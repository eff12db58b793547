import { expect, test } from 'vitest'
import type { JsonRpcMessage } from '../../src/adapters/client/json-rpc.ts'
import { toolCall } from '../../src/adapters/client/tool-call.ts'
import { Bridge } from '../../src/app/cli/bridge/bridge.ts'
import { DaemonLink } from '../../src/app/cli/bridge/daemon-link.ts'
import { findDaemon } from '../../src/app/cli/find-daemon.ts'
import { systemClock } from '../../src/base/lib/clock.ts'
import { createLog } from '../../src/base/lib/log.ts'
import { callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { runCommand } from '../support/run-command.ts'

async function started(callsPerMinute: number): Promise<TestIris> {
  const iris = await TestIris.start({ claude: 'fake', teams: ['backend'], settings: { callsPerMinute } })
  await iris.daemon.recovered
  return iris
}

/** As programs do that call in a loop. */
function useUp({ daemon }: TestIris, ...keys: readonly string[]): void {
  const { callLimit } = daemon.parts
  for (const key of keys) {
    const call = (): boolean => {
      callLimit.take(key)
      return true
    }
    expect(() => {
      while (call());
    }).toThrow('more than')
  }
}

function aBridge(iris: TestIris) {
  const heard: JsonRpcMessage[] = []
  const found = async () => (await findDaemon(iris.world.home))!
  const bridge = new Bridge({
    link: new DaemonLink({ ensure: found, find: found }),
    directory: undefined,
    shareName: 'bridge-1',
    send: (message: JsonRpcMessage) => heard.push(message),
    log: createLog({ least: () => 'error' }),
    clock: systemClock,
    newId: () => 'id',
  })
  const ask = (id: number): void => bridge.receive(JSON.stringify(toolCall(id, 'get_date', {})))
  const answered = (): number => heard.filter(({ result }) => JSON.stringify(result)?.includes('timestamp')).length
  return { bridge, heard, ask, answered }
}

test('programs that call without a pause leave the commands and the bridges of the owner their own share', async () => {
  // The next call of a program is free after six seconds: longer than anybody waits for it.
  await using iris = await started(10)
  const { bridge, heard, ask } = aBridge(iris)
  useUp(iris, 'program', 'owner')
  expect(await callTool(iris, 'get_date')).toMatchObject({ error: { code: 'too_many_calls' } })
  expect(await runCommand(iris.world, ['tell', 'backend', 'hello'])).toMatchObject({ code: 0 })
  useUp(iris, 'share:command')
  ask(1)
  await eventually(() => heard.length === 1, 'the bridge has an answer')
  expect(JSON.stringify(heard)).toContain('timestamp')
  bridge.close()
})

test('a bridge and a command wait the moment that a refusal names', async () => {
  await using iris = await started(1200)
  const { bridge, heard, ask, answered } = aBridge(iris)
  useUp(iris, 'share:bridge-1', 'share:command')
  for (let id = 1; id <= 10; id += 1) ask(id)
  await eventually(() => heard.length === 10, 'all are answered')
  expect(answered()).toBe(10)
  useUp(iris, 'share:command')
  expect(await runCommand(iris.world, ['sessions'])).toMatchObject({ code: 0 })
  bridge.close()
})
