import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { obedient } from '../support/obedient.ts'
import { bothVersions, claudeBinary } from '../support/real-claude.ts'
import { firstIn } from '../support/tier.ts'

const attack = fileURLToPath(new URL('../support/caller-attack.mjs', import.meta.url))
const node = process.execPath
const isolations = ['none', 'home', 'sandbox']
/** They may run everything, and know the owner's token: what is left is who calls. */
const teams = Object.fromEntries(
  isolations.map((isolation) => [isolation, { grantPermission: 'yes', dangerous: true, isolation }]),
)

let iris: TestIris
let stops = 0
beforeAll(async () => {
  const settings = { claudePath: claudeBinary(bothVersions[0]) }
  iris = await TestIris.start({ script: obedient, teams, settings, onStopAsked: () => (stops += 1) })
  for (const team of isolations) copyFileSync(attack, join(iris.world.directory(team), 'attack.mjs'))
})
afterAll(() => iris[Symbol.asyncDispose]())

async function run(team: string, command: string): Promise<string> {
  const { response = '', detail } = await ask(iris, team, `run ${command}`)
  return response || String(detail)
}

/** The attack, and what became of it. It is made by a program of `start`, whose parents have gone. */
async function outcome(team: string, how: string, start = '') {
  const attacks = `${node} attack.mjs ${iris.port} ${iris.world.owner()} "${how}" > out.json 2>&1; mv out.json done.json`
  const wait = 'while ! [ -e done.json ]; do sleep 0.05; done; cat done.json; rm done.json'
  return JSON.parse(await run(team, `(${start} sh -c '${attacks}' &); ${wait}`))
}

const agents = (count: number) => ({ 'not allowed for agents': count })

describe.each(firstIn(isolations))('an agent with the token of the owner, isolation: %s', (team) => {
  test('is that agent from the port of the daemon on another address of this machine', async () => {
    expect(await outcome(team, 'from the port of the daemon')).toEqual(agents(40))
  })

  test('is that agent from a socket of IPv6', async () => {
    expect(await outcome(team, 'from a mapped address')).toEqual(agents(1))
  })

  test.each([
    ['without its environment, its session and its parents', 'env -i setsid'],
    ['in a user namespace of its own besides', 'env -i setsid unshare -U'],
    ['in one inside of another one, with mounts and processes of its own', 'env -i setsid unshare -Ur unshare -Urmpf'],
  ])('is that agent %s', async (_how, start) => {
    // In a sandbox root has no capability to map itself: it gets no namespace.
    if (team === 'sandbox' && (await run(team, `${start} true 2>&1 || echo refused`)).includes('uid_map')) return
    expect(await outcome(team, 'plainly', start)).toEqual(agents(1))
  })

  test('is that agent over a connection that it hands over to a process that has left it', async () => {
    const header = `POST /stop HTTP/1.1\\r\\nhost: 127.0.0.1:${iris.port}\\r\\nauthorization: Bearer ${iris.world.owner()}\\r\\n`
    const heir = `sleep 0.1; printf "${header}connection: close\\r\\ncontent-length: 0\\r\\n\\r\\n" >&3; cat <&3 > out; mv out done.txt`
    const opens = `exec 3<>/dev/tcp/127.0.0.1/${iris.port}; (env -i setsid bash -c '${heir}' &)`
    const wait = 'while ! [ -e done.txt ]; do sleep 0.05; done; cat done.txt; rm done.txt'
    expect(await run(team, `bash -c ${JSON.stringify(opens).replaceAll('$', '\\$')}; ${wait}`)).toContain(
      'not allowed for agents',
    )
  })

  test('does nothing by a process that ends as soon as it has written', async () => {
    const request = `POST /stop HTTP/1.1\r\nhost: 127.0.0.1:${iris.port}\r\nauthorization: Bearer ${iris.world.owner()}\r\ncontent-length: 0\r\n\r\n`
    const script = `for (let i = 0; i < 20; i++) { const s = require("node:net").connect(${iris.port}, "127.0.0.1", () => s.write(${JSON.stringify(request)}, () => i === 19 ? process.kill(process.pid, 9) : s.resetAndDestroy())) }`
    await run(team, `env -i setsid ${node} -e '${script}'; true`)
    expect(await outcome(team, 'plainly')).toEqual(agents(1))
    expect(stops).toBe(0)
  })
})
