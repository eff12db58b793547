import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestIris } from '../support/iris.ts'
import { callAs } from '../support/call-as.ts'
import { plainHttp } from '../support/plain-http.ts'
import { theOwner } from '../../src/kernel/call/principal.ts'

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake', teams: { backend: {}, mobile: {} } })
})
afterAll(() => iris[Symbol.asyncDispose]())

const owner = { principal: theOwner, team: undefined, parent: undefined }
const post = (token: string, path: string, body: object = {}) =>
  plainHttp(iris.port, 'POST', path, { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, JSON.stringify(body))

test('thin', async () => {
  const made = await callAs(owner, iris, 'create_token', { program: 'github', teams: 'backend' })
  const token = String(made['token'])
  const sent = await post(token, '/api/messages', { toTeam: 'backend', message: 'Hello', timeout: 0 })
  console.log(made, sent)
  console.log(await post(token, '/api/messages', { toTeam: 'mobile', message: 'Hello', timeout: 0 }))
  console.log(await callAs(owner, iris, 'list_tokens'))
  console.log(await callAs(owner, iris, 'revoke_token', { program: 'github' }))
  console.log(await post(token, '/api/messages', { toTeam: 'backend', message: 'Hello', timeout: 0 }))
})
