import { expect, test } from 'vitest'
import { taggedProcesses } from './process-tag.ts'

test('of all processes of a machine only a few are looked at at once', async () => {
  let most = 0
  let isOver = false
  const looked = taggedProcesses('no-such-tag').finally(() => (isOver = true))
  while (!isOver) {
    const reads = process.getActiveResourcesInfo().filter((kind) => kind === 'FSReqPromise')
    most = Math.max(most, reads.length)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await looked).toEqual([])
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(8)
})
