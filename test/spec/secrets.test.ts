import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toArray } from 'rxjs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import type { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const random = (bytes = 24): string => randomBytes(bytes).toString('base64url').replaceAll(/[-_]/g, 'x')

/** One fresh secret of each kind that is known by its shape, wherever it stands. */
function shaped(): string[] {
  const upper = randomBytes(12).toString('hex').toUpperCase().slice(0, 16)
  return [
    ...['sk-ant-api03-', 'ghp_', 'github_pat_', 'glpat-', 'xoxb-', 'xoxp-', 'npm_'].map((prefix) => prefix + random()),
    `AKIA${upper}`,
    `eyJ${random()}.${random()}.${random()}`,
  ]
}

/** Texts around a secret, by which it is known. */
const around: readonly ((secret: string) => string)[] = [
  (secret) => `Authorization: Bearer ${secret}`,
  (secret) => `DEPLOY_KEY=${secret}`,
  (secret) => `{"password": "${secret}"}`,
  (secret) => `git clone https://someone:${secret}@git.example.org/x`,
  (secret) => `https://hooks.slack.com/services/T0/B0/${secret}`,
  (secret) => `https://discord.com/api/webhooks/123/${secret}`,
  (secret) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}\n-----END OPENSSH PRIVATE KEY-----`,
]

interface Told {
  readonly texts: string[]
  readonly secrets: string[]
}

/** A text with a secret of every kind in it. */
function telling(exact: readonly string[]): Told {
  const inside = around.map((put) => {
    const secret = random()
    return { secret, text: put(secret) }
  })
  const alone = [...shaped(), ...exact]
  return {
    texts: [...alone.map((secret) => `see ${secret} there`), ...inside.map(({ text }) => text)],
    secrets: [...alone, ...inside.map(({ secret }) => secret)],
  }
}

/** All that Iris tells of itself, by every way out but the conversation. */
async function everythingTold(iris: TestIris): Promise<Record<string, string>> {
  const pair = { team: 'backend', fromTeam }
  const told = {
    get_logs: await callTool(iris, 'get_logs', { limit: 10_000 }),
    raw: await callTool(iris, 'get_logs', { limit: 10_000, format: 'raw' }),
    session_report: await callTool(iris, 'session_report', pair),
    team_status: await callTool(iris, 'team_status'),
    list_teams: await callTool(iris, 'list_teams'),
    list_sessions: await callTool(iris, 'list_sessions', { status: 'all' }),
    wake: await callTool(iris, 'team_wake', { ...pair, thread: 'other' }),
    list_audit: await asOwner(iris, 'list_audit', { limit: 1000 }),
    rows: iris.rows('SELECT launch_command, team_config_snapshot FROM team_sessions'),
    audit: iris.rows('SELECT * FROM audit'),
  }
  return Object.fromEntries(Object.entries(told).map(([name, value]) => [name, JSON.stringify(value)]))
}

let written: string[]
beforeEach(() => {
  written = []
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0)
})
afterEach(() => void vi.restoreAllMocks())

test('no secret that Iris knows, or that looks like one, is in anything that Iris says of itself', async () => {
  const exact = [random(), random(), random(32), `https://example.org/${random()}`]
  const [inSettings, inTeam, signing, hook] = exact as [string, string, string, string]
  const { texts, secrets } = telling(exact)
  const said = texts.join(' and ')
  const team = {
    env: { MY_TOKEN: inTeam, PLAIN: 'plain' },
    appendSystemPrompt: `Mind that ${said} and the code word ${random()}`,
    allowedTools: [`Bash(deploy ${said.replaceAll(/[\n,()]/g, ' ')})`],
    forwardTo: { url: hook, secret: signing },
  }
  await using stage = await Stage.start({
    leavesUnsettled: true,
    script: {
      rules: [
        { when: 'fail', steps: [{ apiFailure: { status: 400, message: said } }] },
        { when: 'die', steps: [{ stderr: `${said.replaceAll('\n', ' ')}\n` }, { exit: 1 }] },
        { steps: [{ text: 'yes' }] },
      ],
      exitAtStart: { code: 1, stderr: said.replaceAll('\n', ' '), unlessFile: '/dev/null' },
    },
    teams: { frontend: {}, backend: team, mobile: { claudePath: '/bin/false' } },
    settings: { logLevel: 'debug', env: { DEPLOY_SECRET: inSettings } },
  })
  const { iris } = stage
  const known = [...secrets, iris.token, readFileSync(join(iris.world.home, 'owner'), 'utf8').trim()]
  // The fake's own environment had to give way to the one with the secret.
  iris.world.writeConfig({
    settings: {
      logLevel: 'debug',
      claudePath: stage.fake.claudePath,
      env: { ...stage.fake.env, DEPLOY_SECRET: inSettings },
    },
  })
  await iris.event('config-reloaded')
  await ask(iris, 'backend', 'hello', { fromTeam })
  await ask(iris, 'backend', 'fail', { fromTeam })
  await ask(iris, 'backend', 'die', { fromTeam, timeout: -1 })
  await iris.event('process-exited')
  const { parts } = iris.daemon
  const failed = await callTool(iris, 'team_wake', { team: 'mobile', fromTeam })
  expect(failed).toHaveProperty('error')
  writeFileSync(
    join(iris.world.home, 'config.yaml'),
    `settings: { forwardTo: { secret: "${signing}", url: [${hook}] }, env: { A: { B: "${inTeam}" } }, unknown: "${random()}" }\n`,
  )
  await iris.event('config-rejected')

  const everything = { ...(await everythingTold(iris)), failed: JSON.stringify(failed) }
  const events: unknown[] = []
  iris.events$.pipe(toArray()).subscribe((all) => events.push(...all))
  await iris.daemon.stop(0)
  const { recentLog } = parts
  const log = written.join('')
  const places = {
    ...everything,
    log,
    ring: JSON.stringify(recentLog.entries()),
    events: JSON.stringify(events.filter((event) => (event as { type: string }).type !== 'turn-message')),
  }
  expect(log).toContain('[redacted]')
  for (const [place, text] of Object.entries(places)) {
    const found = known.filter((secret) => text.includes(secret))
    expect({ place, isSomething: text.length > 2, found }).toEqual({ place, isSomething: true, found: [] })
  }
})
