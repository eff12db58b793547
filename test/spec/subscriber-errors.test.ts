import { expect, test } from 'vitest'
import { callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'

/** An error as from the code of this feature. */
function errorOf(feature: string): Error {
  const error = new TypeError('a fault of the feature')
  error.stack = `TypeError: a fault of the feature\n    at take (/opt/iris/src/features/${feature}/feature.ts:1:1)`
  return error
}

test('what a subscriber to events throws is noted for its feature, and neither Iris nor another subscriber ends', async () => {
  await using iris = await TestIris.start({ claude: 'fake' })
  const heard: string[] = []
  iris.daemon.events$.subscribe(({ type }) => {
    if (type === 'turn-accepted') throw errorOf('inbox')
  })
  iris.daemon.events$.subscribe(({ type }) => void heard.push(type))
  const ask = { fromTeam: 'frontend', toTeam: 'backend', message: 'Hello?' }
  expect(await callTool(iris, 'send_message', ask)).toMatchObject({ status: 'completed' })
  expect(heard).toEqual(expect.arrayContaining(['turn-accepted', 'turn-settled']))
  const inbox = () => iris.daemon.parts.openedFeatures().find(({ name }) => name === 'inbox')
  await eventually(() => inbox()?.faults === 1, 'the fault is counted')
  expect(await callTool(iris, 'send_message', ask)).toMatchObject({ status: 'completed' })
  await eventually(() => inbox()?.faults === 2, 'and the next one')
})
