import { expect, test } from 'vitest'
import { StdioClient } from './stdio-client.ts'

test('a server that cannot be started is reported as that', async () => {
  await expect(StdioClient.start({ command: '/nowhere/iris', args: [], cwd: '/', env: {} })).rejects.toMatchObject({
    code: 'daemon_unreachable',
    message: 'The MCP server could not be started: spawn /nowhere/iris ENOENT.',
    remedy: 'Check that the command exists.',
  })
})
