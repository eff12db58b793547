import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'

const program = `
  import { readlinkSync } from 'node:fs'
  import { getPriority } from 'node:os'
  import { basename } from 'node:path'
  import { parentPort } from 'node:worker_threads'
  const { lowerPriority } = await import(${JSON.stringify(new URL('low-priority.ts', import.meta.url).href)})
  lowerPriority()
  parentPort.postMessage(getPriority(Number(basename(readlinkSync('/proc/thread-self')))))
`

test.runIf(process.platform === 'linux')('a thread gives way to the others, which keep their priority', async () => {
  const before = getPriority()
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`))
  const priority = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  expect(priority).toBe(19)
  expect(getPriority()).toBe(before)
  await worker.terminate()
})
