import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { Program } from '../support/program.ts'
import { Stage } from '../support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.start()
})
afterAll(() => stage[Symbol.asyncDispose]())

const nul = '1 NUL character was removed.'
const tags = '2 tags were escaped ("<" became "&lt;"): only Iris and Claude Code may use such tags.'
const half = '1 half of a character was replaced by U+FFFD.'

test('whoever sends a message is told what was changed in it, and nothing where nothing was', async () => {
  const { iris } = stage
  expect(await ask(iris, 'backend', 'a\0b <iris-message> </iris-message>')).toMatchObject({ changes: [nul, tags] })
  const quick = await callTool(iris, 'quick_message', { toTeam: 'backend', message: 'half \ud83d' })
  expect(quick).toMatchObject({ status: 'async', changes: [half] })
  expect(await callTool(iris, 'notify', { toTeam: 'backend', message: 'a\0b' })).toMatchObject({ changes: [nul] })
  expect(await ask(iris, 'backend', '<b>&lt;iris-message>🎉 �</b>')).not.toHaveProperty('changes')
  expect(await callTool(iris, 'notify', { toTeam: 'backend', message: 'a' })).not.toHaveProperty('changes')
})

const bytes = (method: string, params: object): Buffer => {
  const [before = '', after = ''] = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }).split('BYTE')
  return Buffer.concat([Buffer.from(before), Buffer.from([0xe4]), Buffer.from(after)])
}

function post(path: string, body: Buffer): Promise<string> {
  const { port, token } = stage.iris
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      let said = `${response.statusCode} `
      response.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
      response.on('end', () => resolve(said))
    })
    asked.on('error', reject).end(body)
  })
}

test('bytes that are no UTF-8 are refused, not replaced: over MCP, over HTTP, on stdio, from a file', async () => {
  const call = bytes('tools/call', { name: 'send_message', arguments: { toTeam: 'backend', message: 'BYTE' } })
  expect(await post('/mcp', call)).toMatch(/^400 .*the body is not UTF-8/)
  const [before, after] = ['{"toTeam":"backend","message":"', '"}'].map((text) => Buffer.from(text))
  expect(await post('/api/teams/tell', Buffer.concat([before!, Buffer.from([0xff]), after!]))).toMatch(
    /^400 .*The body is not UTF-8/,
  )
  const { iris } = stage
  const environment = { cwd: iris.world.root, env: { ...iris.world.env, IRIS_HOME: iris.world.home } }
  const bridge = new Program(['mcp'], environment)
  bridge.child.stdin.end(Buffer.concat([call, Buffer.from('\n')]))
  expect((await bridge.ended).stdout).toContain('this line is not UTF-8')
  const tell = new Program(['tell', 'backend', '--file', '-'], environment)
  tell.child.stdin.end(Buffer.from([0x61, 0xe4]))
  expect(await tell.ended).toMatchObject({ code: 2, stderr: expect.stringContaining('stdin is not UTF-8 text') })
})

test('iris tell says what was changed', async () => {
  const { iris } = stage
  const tell = new Program(['tell', 'backend', '--file', '-'], {
    cwd: iris.world.root,
    env: { ...iris.world.env, IRIS_HOME: iris.world.home },
  })
  tell.child.stdin.end('a\0b')
  expect(await tell.ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`Note: ${nul}`) })
})
