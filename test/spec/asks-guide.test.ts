import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { irisCommand } from '../support/program.ts'

const guide = (page: string) => readFileSync(new URL(`../../docs/guide/${page}.md`, import.meta.url), 'utf8')
/** The examples under a heading, in the language of their fence. */
const examples = (page: string, heading: string, language: string): string => {
  const [, section] = guide(page).split(`\n## ${heading}\n`)
  const [, code] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section ?? '') ?? []
  if (code === undefined) throw new Error(`${page}.md has no example under ${heading}`)
  return code
}

/** Gives a value where one is asked for, and says how many files came with the message. */
const script: Script = ({ body, conversation: { lastUserText, step } }) => {
  const wanted = /"version"/.test(lastUserText) ? { version: '1.4.0' } : { port: 1615 }
  if (lastUserText.includes('<iris-schema>') && step === 0)
    return { toolUses: [{ name: 'mcp__iris__return_value', input: { value: wanted } }] }
  const pictures = JSON.stringify(body.messages.at(-1)).split('"type":"image"').length - 1
  return { text: `Read. Pictures: ${pictures}.` }
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
let iris: TestIris
let env: Record<string, string>
beforeAll(async () => {
  const { teams } = parse(examples('asks', 'What a team accepts and returns', 'yaml')) as {
    teams: { deploy: Record<string, unknown> }
  }
  const { path: _, ...deploy } = teams.deploy
  iris = await TestIris.start({ claude: 'either', script, teams: { frontend: {}, backend: {}, mobile: {}, deploy } })
  const programs = join(iris.world.root, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'iris'), `#!/bin/sh\nexec ${irisCommand} "$@"\n`, { mode: 0o755 })
  env = { ...iris.world.env, IRIS_HOME: iris.world.home, PATH: `${programs}:${iris.world.env['PATH']}` }
  writeFileSync(join(iris.world.directory('frontend'), 'page.png'), Buffer.from(png, 'base64'))
})
afterAll(() => iris[Symbol.asyncDispose]())

/** As a newcomer who copies them into a terminal in the project of a team. */
const typed = async (code: string): Promise<string> => {
  const run = promisify(execFile)('sh', ['-ec', code], { cwd: iris.world.directory('frontend'), env })
  run.child.stdin?.end()
  return (await run).stdout
}
const exampleOf = (heading: string) => typed(examples('asks', heading, 'sh'))

test('the examples of the guide to asks do what it says, as a newcomer types them', async () => {
  const value = await exampleOf('An answer that a program can read')
  expect(JSON.parse(value)).toEqual(JSON.parse(examples('asks', 'An answer that a program can read', 'json')))
  expect(await exampleOf('Files with a message')).toMatch(/Pictures: 1\.[^]*Pictures: 0\./)
  const many = await typed(examples('asks', 'Several teams at once', 'sh').split('\n')[0]!)
  expect(many).toMatch(/backend[^]*Read\.[^]*mobile[^]*Read\./)
  expect(await typed('iris tell backend "And the tests too." --when-busy steer --priority high')).toContain('Read.')
  expect(await typed('iris wait backend')).toContain('backend')
  const live = 'iris tell backend --deliver live "What do you see on your screen?"'
  expect(guide('asks')).toContain(live)
  await expect(typed(live)).rejects.toMatchObject({ stderr: expect.stringContaining('live: ask') })
  // The guide's date passes.
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)
  const later = examples('asks', 'Later, and again and again', 'sh').replace(/\d{4}-\d\d-\d\d/, inAWeek)
  await typed(later)
  const { schedules } = (await callTool(iris, 'list_schedules')) as { schedules: { scheduleId: string }[] }
  expect(schedules).toHaveLength(4)
  expect(await typed('iris schedules')).toContain('What has changed since yesterday?')
  for (const { scheduleId } of schedules)
    expect(await typed(`iris cancel ${scheduleId.slice(0, 8)}`)).toContain('was cancelled')
})

test('the contract in the guide is kept by both sides', async () => {
  expect(await ask(iris, 'deploy', '{"service":"api"}')).toMatchObject({ value: { version: '1.4.0' } })
  expect(await callTool(iris, 'send_message', { toTeam: 'deploy', message: '{}' })).toMatchObject({
    error: { code: 'contract_broken', message: expect.stringContaining('service') },
  })
})

test('iris insight usage and iris stop --tree do what the guide to limits says', async () => {
  const usage = await typed('iris insight usage --since 1d')
  // The model names no limits to a key.
  expect(usage).toMatch(/^Account of frontend, backend, mobile, deploy\n {2}no limits reported\n/)
  expect(usage).toMatch(/messages +tokens in +tokens out +cost\n[^]*frontend → backend/)
  const { turnId } = await ask(iris, 'backend', 'one more')
  const stop = examples('limits', 'End a tree', 'sh').replace(/[0-9a-f]{8}/, turnId.slice(0, 8))
  expect(await typed(stop)).not.toBe('')
})
