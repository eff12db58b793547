// What a process of an agent tries with the owner's token: `caller-attack.mjs <port> <token> <how>` prints how often it got
// which answer to a call that is the owner's alone. Copied into the project of its team, so that a sandbox holds it too.
import { request } from 'node:http'

const [port, token, how = 'plainly'] = process.argv.slice(2)
const ways = {
  plainly: [{ host: '127.0.0.1' }],
  'from a mapped address': [{ host: '::ffff:127.0.0.1' }],
  'from the port of the daemon': Array.from({ length: 40 }, (_, index) => ({
    ...{ host: '127.0.0.1', localAddress: `127.0.${index % 4}.${2 + index}`, localPort: Number(port) },
  })),
}
const answers = {}
for (const from of ways[how]) {
  const answer = await post(from).catch((error) => `failed: ${error.code}`)
  answers[answer] = (answers[answer] ?? 0) + 1
}
process.stdout.write(JSON.stringify(answers))

function post(from) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_config', arguments: {} } }
  const headers = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  return new Promise((resolve, reject) => {
    const asked = request({ ...from, port, path: '/mcp', method: 'POST', headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () =>
        resolve(/not allowed for \w+s|may not use|unauthorized/.exec(text)?.[0] ?? 'as the owner'),
      )
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}
