import { StdioClient } from '../../src/adapters/client/stdio-client.ts'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'

// One call by its own bridge, as an MCP client makes it: `bridge-call.ts <tool> <arguments>` prints the result.
const [tool = '', args = '{}'] = process.argv.slice(2)
const server = {
  command: process.execPath,
  args: nodeArguments('mcp'),
  cwd: process.cwd(),
  env: process.env,
}
const client = await StdioClient.start(server)
process.stdout.write(JSON.stringify(await client.call(tool as 'send_message', JSON.parse(args))))
await client.close()
