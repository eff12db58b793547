import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { post } from './post.ts'

test('says where the collector is and why it does not take a request, without the path of its address', async () => {
  const collector = createServer((_request, response) => response.writeHead(503).end())
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const { port } = collector.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  expect(await post(`${origin}/v1/traces?key=secret`, {}, '{}')).toBe(`the collector at ${origin} answered with 503`)
  await new Promise((resolve) => collector.close(resolve))
  const refused = await post(`${origin}/v1/traces?key=secret`, {}, '{}')
  expect(refused).toBe(`the collector at ${origin} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`)
})
