import { expect, test } from 'vitest'
import { lookAtDaemon, noteStopping } from '../../src/app/cli/commands/stop.ts'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { TestContext } from '../support/command-context.ts'
import { TestIris } from '../support/iris.ts'
import { runCommand } from '../support/run-command.ts'

test('a stop says that it may take a while only where a message is being answered', async () => {
  const gate = Promise.withResolvers<void>()
  const script: Script = () => ({ stream: heldText('It depends', gate.promise, ' on you.') })
  await using iris = await TestIris.start({ claude: 'fake', script, teams: ['backend'] })
  const { home } = iris.world
  const noted = async (): Promise<string> => {
    const context = new TestContext({ env: { ...iris.world.env, IRIS_HOME: home } })
    noteStopping(context, await lookAtDaemon(context, home))
    return context.printed.stderr
  }
  expect(await noted()).toBe('')
  const begun = iris.event('turn-delivered')
  const told = runCommand(iris.world, ['tell', 'backend', 'hello'])
  await begun
  expect(await noted()).toBe('Stopping; running messages get up to 30 s to finish.\n')
  gate.resolve()
  await told
  expect(await noted()).toBe('')
})
