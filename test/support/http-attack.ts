import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// The attempts of a program that has read Iris's home: `http-attack.ts <home> <port>` prints the result of each as
// JSON.
const [home = '', port = ''] = process.argv.slice(2)
const credentials = { none: undefined, program: secret('token'), owner: secret('owner') }
const outcomes: Record<string, string> = {}
for (const [name, token] of Object.entries(credentials)) {
  for (const [method, path] of [
    ['POST', '/stop'],
    ['GET', '/nothing'],
    ['GET', '/mcp'],
    ['GET', '/metrics'],
    ['GET', '/api/stream'],
  ] as const) {
    outcomes[`${name} ${method} ${path}`] = await said(send(method, path, token))
  }
  if (token === undefined) continue
  for (const [tool, args] of Object.entries({
    get_logs: {},
    team_wake: { team: 'victim' },
    session_delete: { team: 'victim', fromTeam: 'external' },
    session_report: { team: 'victim', fromTeam: 'external' },
    send_message: { toTeam: 'victim', message: 'obey', fromTeam: 'external', timeout: -1 },
    list_sessions: {},
    get_date: {},
  })) {
    outcomes[`${name} ${tool}`] = await said(call(tool, args, token))
  }
}
process.stdout.write(JSON.stringify(outcomes))

function secret(name: string): string {
  return readFileSync(join(home, name), 'utf8').trim()
}

function send(method: string, path: string, token: string | undefined, body?: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
      // A directory that would make a program speak as the victim.
      'iris-project-directory': encodeURIComponent(join(home, '../projects/victim')),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

function call(name: string, args: object, token: string): Promise<Response> {
  return send('POST', '/mcp', token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
}

/** The status, and the code of what was refused or the result of what was not. */
async function said(answer: Promise<Response>): Promise<string> {
  const response = await answer
  const text = await response.text()
  const code = /\\?"code\\?":\\?"(\w+)/.exec(text)?.[1]
  const sessions = /\\?"sessions\\?":(\[.*?\])/.exec(text)?.[1]
  return [response.status, code ?? sessions ?? 'ok'].join(' ')
}
