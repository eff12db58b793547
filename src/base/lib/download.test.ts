import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { download } from './download.ts'

test('a download from a server that does not answer ends at once when it is given up', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const over = new AbortController()
    const asked = new Promise<IncomingMessage>((resolve) => server.once('request', resolve))
    const file = download(`${origin}/file`, { origins: [origin], mostBytes: 10, signal: over.signal })
    await asked
    over.abort()
    await expect(file).rejects.toMatchObject({ name: 'Error', message: 'the connection broke', mayPass: true })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
