import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { count } from '../support/page-waits.ts'
import { spoken } from '../support/world.ts'

const agent = (prompt: string) => ({
  name: 'Agent',
  input: { description: `look to the ${prompt}`, prompt, subagent_type: 'general-purpose' },
})
const bash = (input: object) => ({ toolUses: [{ name: 'Bash', input }] })
const untilFile = (name: string) => `while [ ! -e ${name} ]; do sleep 0.05; done`

const script: Script = ({ conversation: { lastUserText, step } }) => {
  const message = spoken(lastUserText)
  if (step > 0) return { text: `answer to ${message}` }
  if (message === 'delegate') return { toolUses: [agent('left'), agent('right')] }
  if (/^(left|right)$/.test(message)) return bash({ command: untilFile(message), description: `looks ${message}` })
  if (message === 'serve') return bash({ command: untilFile('end'), run_in_background: true })
  return { text: `answer to ${message}` }
}

test('who looks on sees what each subagent does now, and what an answer left running', async () => {
  await using iris = await TestIris.start({
    script,
    teams: { frontend: {}, backend: { grantPermission: 'yes', dangerous: true } },
  })
  await using browser = await TestBrowser.start()
  const open = (name: string) => writeFileSync(join(iris.world.directory('backend'), name), '')
  const { sessionId } = await ask(iris, 'backend', 'delegate', { timeout: -1 })
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}`, width: 360 })
  const turn = (message: string) => tab.page.getByRole('article').filter({ hasText: message }).last()
  const noTrouble = async () => {
    expect(await tab.barriers()).toEqual([])
    expect(await tab.fitsWidth()).toBe(true)
    expect(tab.troubles).toEqual([])
  }
  const subagents = turn('delegate').getByRole('list', { name: 'Subagents' })
  const of = (side: string) => subagents.getByRole('listitem').filter({ hasText: `look to the ${side}` })
  for (const side of ['left', 'right']) {
    await of(side).getByText('working', { exact: true }).waitFor()
    await of(side).getByText(`Running looks ${side}`).waitFor()
    await of(side).getByText('1 tool used').waitFor()
  }
  await noTrouble()
  open('left')
  await of('left').getByText('ended', { exact: true }).waitFor()
  await count(of('left').getByText('Running'), 0)
  open('right')
  await turn('delegate').getByText('answer to delegate').waitFor()
  await count(subagents, 0)

  await ask(iris, 'backend', 'serve')
  const left = turn('serve').getByRole('region', { name: 'Left running' })
  await left.getByText(untilFile('end')).waitFor()
  await noTrouble()
  await tab.page.reload()
  await left.getByText(untilFile('end')).waitFor()
  open('end')
}, 240_000)
