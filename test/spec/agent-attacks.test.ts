import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import type { Script } from '../../src/app/demo/script.ts'
import { isolationMeans } from '../../src/platform/machine/isolation-means.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { irisCommand } from '../support/program.ts'
import { bothVersions, claudeBinary, ofTestedVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

const attack = fileURLToPath(new URL('../support/http-attack.ts', import.meta.url))
const bridgeCall = fileURLToPath(new URL('../support/bridge-call.ts', import.meta.url))
const node = process.execPath

/** Does as it learns: a Bash command, whose output is the answer. */
const obeys: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const result = toolResults[0]
  if (result) return { text: result.text }
  const told = spoken(lastUserText)
  const [, tool, args] = /^! (\S+) (.*)$/s.exec(told) ?? []
  if (tool && args) return { toolUses: [{ name: tool, input: JSON.parse(args) }] }
  if (!told.startsWith('$ ')) return { text: 'yes' }
  return { toolUses: [{ name: 'Bash', input: { command: told.slice(2), description: 'as told' } }] }
}

/** Everything is allowed, nothing is hidden: what is left is the endpoint. */
const open = { grantPermission: 'yes', dangerous: true, isolation: 'none' }
const [newest, older] = bothVersions
const teams = {
  attacker: open,
  attackerOlder: { ...open, claudePath: claudeBinary(older) },
  attackerIsolated: { ...open, isolation: 'home' },
  attackerOlderIsolated: { ...open, isolation: 'home', claudePath: claudeBinary(older) },
  loading: { ...open, mcpServers: 'project' },
  loadingOlder: { ...open, mcpServers: 'project', claudePath: claudeBinary(older) },
  victim: {},
}

const { hiding } = await isolationMeans(process.env['PATH'] ?? '')
const hides = 'isolate' in hiding

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ script: obeys, teams, settings: { claudePath: claudeBinary(newest) } })
  await ask(iris, 'victim', 'a secret of external')
})
afterAll(() => iris[Symbol.asyncDispose]())

async function told(team: string, command: string): Promise<string> {
  const { response = '', detail } = await ask(iris, team, `$ ${command}`)
  return response || String(detail)
}

const audited = () =>
  iris
    .rows('SELECT actor, action, subject, detail FROM audit ORDER BY sequence')
    .map(({ actor, action, subject }) => `${actor} ${action} ${subject}`)

/** The result for an agent, whichever credential it has found. */
const asAgent = (credential: string) => ({
  [`${credential} POST /stop`]: '403 not_allowed',
  [`${credential} GET /nothing`]: '404 invalid_input',
  [`${credential} GET /mcp`]: '405 ok',
  [`${credential} GET /metrics`]: '403 not_allowed',
  [`${credential} GET /api/stream`]: '403 not_allowed',
  [`${credential} get_logs`]: '200 not_allowed',
  [`${credential} team_wake`]: '200 not_allowed',
  [`${credential} session_delete`]: '200 not_allowed',
  [`${credential} session_report`]: '200 from_mismatch',
  [`${credential} send_message`]: '200 from_mismatch',
  [`${credential} get_date`]: '200 ok',
})

describe.each(ofTestedVersions(['attacker', 'attackerOlder']))('an agent that may run everything (%s)', (team) => {
  test('is nobody else over its own pipe', async () => {
    for (const fromTeam of ['victim', 'external']) {
      const spoof = JSON.stringify({ toTeam: 'victim', message: 'x', fromTeam })
      const { response } = await ask(iris, team, `! mcp__iris__send_message ${spoof}`)
      expect(response).toContain('from_mismatch')
    }
    expect(audited()).toContain(`agent:${team} from.mismatch send_message`)
  })

  test.each([
    ['by a program of its own', ''],
    ['without the mark in its environment', 'env -i '],
    ['in a session of its own', 'env -i setsid '],
  ])('%s has no more rights with the credentials that lie on the disk than without', async (_how, prefix) => {
    const outcomes = JSON.parse(await told(team, `${prefix}${node} ${attack} ${iris.world.home} ${iris.port}`))
    const own = expect.stringMatching(new RegExp(`^200 \\[\\{.*"to":"${team}"`.replaceAll('"', '\\\\?"')))
    expect(outcomes).toEqual({
      'none POST /stop': '401 unauthorized',
      'none GET /nothing': '401 unauthorized',
      'none GET /mcp': '401 unauthorized',
      'none GET /metrics': '401 unauthorized',
      'none GET /api/stream': '401 unauthorized',
      ...asAgent('program'),
      'program list_sessions': own,
      ...asAgent('owner'),
      'owner list_sessions': own,
    })
    expect(outcomes['owner list_sessions']).not.toContain('victim')
    expect(audited()).toEqual(
      expect.arrayContaining([
        'unknown credential.refused POST /stop',
        `agent:${team} credential.misused owner`,
        `agent:${team} call.refused POST /stop`,
        `agent:${team} call.refused session_delete`,
        `agent:${team} from.mismatch send_message`,
      ]),
    )
  })

  test.runIf(hides)('that is isolated and has shaken off its mark and its parents is known all the same', async () => {
    const stolen = join(iris.world.root, 'stolen')
    mkdirSync(stolen, { recursive: true })
    for (const name of ['token', 'owner']) copyFileSync(join(iris.world.home, name), join(stolen, name))
    const away = `${node} ${attack} ${stolen} ${iris.port} > out.json 2>&1; mv out.json done.json`
    const waits = 'while ! [ -e done.json ]; do sleep 0.1; done; cat done.json; rm done.json'
    const outcomes = JSON.parse(await told(`${team}Isolated`, `(env -i setsid sh -c '${away}' &); ${waits}`))
    expect(outcomes).toMatchObject({ ...asAgent('program'), ...asAgent('owner') })
  })

  test('has its own rights by the iris command too: it stops nothing, and its asks are its own', {
    tags: ['thorough'],
  }, async () => {
    const env = `IRIS_HOME=${iris.world.home}`
    expect(await told(team, `${env} ${irisCommand} stop 2>&1`)).toContain('error: This is not allowed for agents.')
    expect(await told(team, `env -u IRIS_PROCESS ${env} ${irisCommand} stop 2>&1`)).toContain('not allowed for agents')
    for (const command of ['install --project .', 'uninstall --yes', 'uninstall --purge --yes']) {
      const tried = await told(team, `env -u IRIS_PROCESS ${env} ${irisCommand} ${command} 2>&1`)
      expect({ command, tried }).toMatchObject({ tried: expect.stringContaining('not allowed for agents') })
    }
    expect(existsSync(join(iris.world.directory(team), '.mcp.json'))).toBe(false)
    expect(await told(team, `${env} ${irisCommand} start 2>&1`)).toContain('may not start a daemon')
    const args = JSON.stringify({ toTeam: 'victim', message: 'hello', timeout: 0 })
    const bridge = `${env} ${node} ${bridgeCall} send_message '${args}' 2>&1`
    expect(await told(team, bridge)).toContain(`"from":"${team}"`)
    const [row] = iris.rows(
      `SELECT asked.hop, asker.message FROM turns asked JOIN turns asker ON asked.parent_turn = asker.id
       WHERE asked.message = 'hello' ORDER BY asked.sequence DESC`,
    )
    expect(row).toMatchObject({ hop: 2, message: expect.stringContaining('bridge-call') })
  })
})

test.each(ofTestedVersions(['loading', 'loadingOlder']))(
  "a server iris mcp of a person's own Claude configuration, in %s, speaks as the agent that loads it",
  async (team) => {
    const { world } = iris
    const server = { command: node, args: nodeArguments('mcp'), env: { IRIS_HOME: world.home } }
    writeFileSync(join(world.root, '.claude.json'), JSON.stringify({ mcpServers: { console: server } }))
    const asks = (args: object) => `! mcp__console__send_message ${JSON.stringify(args)}`
    const spoof = { toTeam: 'victim', message: 'x', fromTeam: 'external' }
    // Older builds connect to a server while their first turn runs.
    let said: string | undefined = 'No such tool'
    for (let tries = 0; tries < 50 && said?.includes('No such tool'); tries++) {
      said = (await ask(iris, team, asks(spoof))).response
    }
    expect(said).toContain('from_mismatch')
    const { turnId, response } = await ask(iris, team, asks({ toTeam: 'victim', message: `of ${team}`, timeout: 0 }))
    expect(response).toContain('yes')
    expect(iris.rows(`SELECT hop, parent_turn FROM turns WHERE message = 'of ${team}'`)).toEqual([
      { hop: 2, parent_turn: turnId },
    ])
  },
)
